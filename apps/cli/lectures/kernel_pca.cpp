#include "lectures/examples.hpp"
#include "lectures/nearest.hpp"
#include "lectures/stage.hpp"

#include <mercer/kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::cli {

void rings_step_by_step(Stage& stage) {
  constexpr double gamma = 0.5;
  stage.text(
      "Two rings around one centre; no line separates them. The steps of kernel PCA, one command "
      "each.");
  stage.run("mercer data rings --rows 60 --noise 0.1 --seed 1 -o rings.csv");
  stage.run("mercer data rings --rows 6 --noise 0.1 --seed 2 -o new.csv");
  stage.text(
      "1. The kernel matrix K, of values e^(-γ‖x - y‖²) of all pairs of rows. With --label, "
      "class would be the first column of the matrix; --exclude leaves it out:");
  stage.run("mercer kernel matrix 'rbf(gamma=0.5)' rings.csv --exclude class -o K.csv");
  stage.run("mercer kernel check 'rbf(gamma=0.5)' rings.csv --label class");
  stage.text("2. Centring, Kc = JKJ with J = I - 11ᵀ/N:");
  stage.run("mercer kernel matrix 'rbf(gamma=0.5)' rings.csv --exclude class --center -o Kc.csv");
  stage.text("3. Eigenvalues μ of Kc, and all steps at once by fit; λ = μ/N:");
  stage.run("mercer eigs Kc.csv -k 3");
  stage.run(
      "mercer fit rings.csv --label class --kernel 'rbf(gamma=0.5)' --ddof 0 -k 3 --no-plot "
      "-o rings.st --scores scores.csv");
  stage.text(
      "4. The coefficients α of the components, q_k = Σ α_ki φ̃(x_i), normalised to αᵀα = 1/μ:");
  stage.run("mercer export rings.st --what alpha -o alpha.csv");
  stage.text("5. Test vectors: a_k(x) = Σ α_ki k̃(x_i, x).");
  stage.run("mercer transform rings.st new.csv --label class -o new-scores.csv");
  stage.show("new-scores.csv");

  const Matrix<double> k = stage.rows("K.csv"), kc = stage.rows("Kc.csv");
  const Matrix<double> x = stage.rows("rings.csv", "class"), fresh = stage.rows("new.csv", "class");
  const Index n = k.rows();
  const Matrix<double> j =
      Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1.0 / static_cast<double>(n));
  const Model<double> model = stage.model("rings.st");
  const Vector<double>& mu = model.eigenvalues();
  const Matrix<double>& alpha = model.components();
  stage.compare("K12 = exp(-γ‖x1 - x2‖²)", std::exp(-gamma * (x.row(0) - x.row(1)).squaredNorm()),
                k(0, 1), 1e-14);
  stage.compare("Kc - JKJ, largest entry", 0, (kc - j * k * j).cwiseAbs().maxCoeff(), 1e-12);
  stage.compare("Kc·1, largest entry", 0, kc.rowwise().sum().cwiseAbs().maxCoeff(), 1e-12);
  for (Index i = 0; i < 3; ++i)
    stage.compare(fmt::format("α{}ᵀα{} · μ{}", i + 1, i + 1, i + 1), 1,
                  alpha.row(i).squaredNorm() * mu[i], 1e-9);
  stage.compare(
      "Kc·α1 - μ1α1, largest entry", 0,
      (kc * alpha.row(0).transpose() - mu[0] * alpha.row(0).transpose()).cwiseAbs().maxCoeff(),
      1e-9);
  stage.compare("λ1 = μ1/N", mu[0] / static_cast<double>(n), model.explained_variance()[0], 1e-12);
  // The first test vector by the formula; α sums to 0, so only one of the means is needed.
  double score = 0;
  for (Index i = 0; i < n; ++i)
    score += alpha(0, i) *
             (std::exp(-gamma * (x.row(i) - fresh.row(0)).squaredNorm()) - k.row(i).mean());
  stage.compare("first score of a test vector", score, stage.rows("new-scores.csv", "class")(0, 0),
                1e-9);
  stage.run("mercer contour rings.st --data rings.csv --label class -o contour.svg");
  stage.picture("contour.svg", "contour lines of the components over the rings");
}

void digits_recognition(Stage& stage) {
  stage.text(
      "Scores as features for pattern recognition: an image gets the digit of most of its 3 "
      "nearest "
      "neighbours, and of the nearest one if all 3 differ. Neighbours are compared by 64 pixels, "
      "by "
      "10 linear scores and by 10 kernel scores. The first 1297 images train, the other 500 test.");
  stage.copy_bundled("digits.csv", "train.csv", 0, 1297);
  stage.copy_bundled("digits.csv", "test.csv", 1297);
  stage.run(
      "mercer fit train.csv --label digit -k 10 --no-plot -o linear.st --scores train-linear.csv");
  stage.run("mercer transform linear.st test.csv --label digit -o test-linear.csv");
  stage.run(
      "mercer fit train.csv --label digit --kernel 'poly(degree=2, gamma=0.001)' -k 10 --no-plot "
      "-o kernel.st --scores train-kernel.csv");
  stage.run("mercer transform kernel.st test.csv --label digit -o test-kernel.csv");
  const auto train_labels = stage.labels("train.csv", "digit"),
             test_labels = stage.labels("test.csv", "digit");
  const auto accuracy = [&](const std::string& train, const std::string& test) {
    return 100 * nearest_accuracy(stage.rows(train, "digit"), train_labels,
                                  stage.rows(test, "digit"), test_labels, 3);
  };
  const double pixels = accuracy("train.csv", "test.csv");
  const double linear = accuracy("train-linear.csv", "test-linear.csv");
  const double kernel = accuracy("train-kernel.csv", "test-kernel.csv");
  stage.report("accuracy of 64 pixels, %", pixels);
  stage.report("accuracy of 10 scores, %", linear);
  stage.report("accuracy of 10 kernel scores, %", kernel);
  stage.compare("10 scores are within 5 % of the pixels", "yes",
                std::min(linear, kernel) > pixels - 5 ? "yes" : "no", "bound");
  stage.text(
      "Here 10 kernel scores do slightly worse than 10 linear ones: the digits are nearly "
      "separable "
      "by linear scores, and a kernel has to be chosen for its data.");
  stage.run("mercer plot linear.st test.csv --label digit --kind scores -o scores.svg");
  stage.picture("scores.svg", "the test images by their first two scores");
}

}  // namespace mercer::cli
