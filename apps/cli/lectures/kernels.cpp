#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::cli {

void gram_matrices(Stage& stage) {
  stage.text(
      "XXᵀ and XᵀX have the same non-zero eigenvalues. If (μ, v) is an eigenpair of the N × N "
      "matrix of inner products of rows, w = Xv/√μ is a component. With fewer rows than columns "
      "this is the smaller problem: 40 images of 64 pixels. With "
      "--label, the digit would be the first column of the matrix G; --exclude leaves it out.");
  stage.copy_bundled("digits.csv", "forty.csv", 0, 40);
  stage.run(
      "mercer fit forty.csv --label digit --ddof 0 -k 3 --solver covariance --no-plot -o "
      "covariance.st");
  stage.run("mercer fit forty.csv --label digit --ddof 0 -k 3 --solver gram --no-plot -o gram.st");
  stage.run("mercer matrix forty.csv --exclude digit --what gram -o G.csv");
  stage.run("mercer eigs G.csv -k 3");
  const Model<double> a = stage.model("covariance.st"), b = stage.model("gram.st");
  const Matrix<double> x = stage.rows("forty.csv", "digit");
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  const Matrix<double> g = stage.rows("G.csv");
  stage.compare("G - XXᵀ of centred rows, largest entry", 0,
                (g - centred * centred.transpose()).cwiseAbs().maxCoeff(), 1e-9);
  for (Index k = 0; k < 3; ++k)
    stage.compare(fmt::format("μ{} of both", k + 1), a.eigenvalues()[k], b.eigenvalues()[k],
                  1e-9 * a.eigenvalues()[0]);
  // The unit eigenvector v of G that belongs to w, and back.
  const Vector<double> v =
      centred * a.components().row(0).transpose() / std::sqrt(a.eigenvalues()[0]);
  stage.compare("‖v1‖", 1, v.norm(), 1e-10);
  stage.compare("Gv1 - μ1v1, largest entry", 0,
                (g * v - a.eigenvalues()[0] * v).cwiseAbs().maxCoeff(), 1e-7);
  const Vector<double> w = centred.transpose() * v / std::sqrt(a.eigenvalues()[0]);
  stage.compare("w1 = Xv1/√μ1, largest difference", 0,
                (w - b.components().row(0).transpose()).cwiseAbs().maxCoeff(), 1e-9);
  stage.run("mercer plot gram.st --kind images -o images.svg");
  stage.picture("images.svg", "the mean of the 40 images, and the components as images");
  stage.compare("λ1 = μ1/N", a.eigenvalues()[0] / 40, a.explained_variance()[0], 1e-9);
}

void circle_to_line(Stage& stage) {
  stage.text(
      "Rows on the circle x1² + x2² = 1. PCA needs both components. The features X1 = x1², "
      "X2 = x2² lie on the line X1 + X2 = 1: one component, and a null direction (1, 1)/√2.");
  stage.run("mercer data circle --rows 200 --seed 1 -o circle.csv");
  stage.run("mercer fit circle.csv --no-plot -o plain.st");
  stage.run("mercer fit circle.csv --map squares --keep-null --no-plot -o squares.st");
  const Model<double> plain = stage.model("plain.st"), squares = stage.model("squares.st");
  const Matrix<double>& q = squares.components();
  stage.compare("components with variance, linear", 2,
                static_cast<double>((plain.explained_variance().array() > 1e-12).count()), 0);
  stage.compare("components with variance, squares", 1,
                static_cast<double>((squares.explained_variance().array() > 1e-12).count()), 0);
  stage.compare_printed("relation: coefficient of x2² (x1²: 1)", 1, q(1, 1) / q(1, 0), 1e-10);
  stage.compare_printed("relation: right-hand side", 1,
                        q.row(1).dot(squares.mean().transpose()) / q(1, 0), 1e-10);
  stage.run("mercer plot plain.st circle.csv --kind axes -o circle.svg");
  stage.picture("circle.svg", "the circle: two axes of the same length");
  stage.text("The same for the squares, as a data set of two columns:");
  stage.run("mercer map squares circle.csv -o squares.csv");
  stage.run("mercer fit squares.csv --keep-null --no-plot -o line.st");
  stage.run("mercer plot line.st squares.csv --kind axes -o line.svg");
  stage.picture("line.svg", "the squares: a line, and one axis");
  stage.text(
      "The squares lose the signs of x1 and x2: four points of the circle have the same features.");
  stage.write("signs.csv", "x1,x2\n0.6,0.8\n-0.6,0.8\n");
  stage.run("mercer map squares signs.csv -o signs-squares.csv");
  stage.run("mercer map 'plain(degree=2, constant=yes)' signs.csv -o signs-plain.csv");
  const Matrix<double> lost = stage.rows("signs-squares.csv"), kept = stage.rows("signs-plain.csv");
  stage.compare("distance of the two points in squares", 0, (lost.row(0) - lost.row(1)).norm(),
                1e-15);
  stage.compare("features of the map to R⁶", 6, static_cast<double>(kept.cols()), 0);
  stage.compare("distance of the two points in R⁶", std::sqrt(1.2 * 1.2 + 0.96 * 0.96),
                (kept.row(0) - kept.row(1)).norm(), 1e-12);
}

void polynomial_kernel(Stage& stage) {
  stage.text(
      "The lecture's data set has two points, (1, 1) and (2, 1), and the kernel (1 + x·y)².");
  stage.write("pair.csv", "x1,x2\n1,1\n2,1\n");
  stage.run("mercer kernel matrix '(1+x.y)^2' pair.csv -o K.csv");
  stage.show("K.csv");
  stage.text("Its features are (1, x1², x2², √2 x1, √2 x2, √2 x1x2):");
  stage.run(
      "mercer map '1, x1^2, x2^2, sqrt(2)*x1, sqrt(2)*x2, sqrt(2)*x1*x2' pair.csv -o Phi.csv");
  stage.show("Phi.csv");
  stage.text("Centred, Kc = JKJ:");
  stage.run("mercer kernel matrix '(1+x.y)^2' pair.csv --center -o Kc.csv");
  stage.show("Kc.csv");
  stage.run("mercer fit pair.csv --kernel '(1+x.y)^2' --ddof 0 -k all --no-plot -o pair.st");
  const Matrix<double> k = stage.rows("K.csv"), kc = stage.rows("Kc.csv"),
                       phi = stage.rows("Phi.csv");
  stage.compare_printed("K11", 9, k(0, 0), 1e-12);
  stage.compare_printed("K12", 16, k(0, 1), 1e-12);
  stage.compare_printed("K21", 16, k(1, 0), 1e-12);
  stage.compare_printed("K22", 36, k(1, 1), 1e-12);
  stage.compare("D = C(p + d, d), p = d = 2", 6, static_cast<double>(phi.cols()), 0);
  stage.compare("ΦΦᵀ - K, largest entry", 0, (phi * phi.transpose() - k).cwiseAbs().maxCoeff(),
                1e-12);
  stage.compare("centred K11", 3.25, kc(0, 0), 1e-12);
  stage.compare("centred K12", -3.25, kc(0, 1), 1e-12);
  stage.compare("μ1 of the centred matrix", 6.5, stage.model("pair.st").eigenvalues()[0], 1e-10);
  stage.text("Degree 6 of three columns:");
  stage.write("three.csv", "x1,x2,x3\n1,2,3\n0,1,-1\n");
  stage.run("mercer map 'polynomial(degree=6)' three.csv -o sixth.csv");
  stage.compare("D = C(p + d, d), p = 6, d = 3", 84,
                static_cast<double>(stage.rows("sixth.csv").cols()), 0);
  stage.text("The components of more rows, as functions on the plane: polynomials of degree 2.");
  stage.run("mercer data circle --rows 200 --seed 1 -o circle.csv");
  stage.run("mercer fit circle.csv --kernel '(1+x.y)^2' -k all --no-plot -o circle.st");
  stage.run("mercer contour circle.st --data circle.csv -o contour.svg");
  stage.picture("contour.svg", "contour lines of the four components of (1 + x·y)² on a circle");
}

void mercer_condition(Stage& stage) {
  stage.text(
      "A function is a kernel if every kernel matrix is symmetric and positive semi-definite. One "
      "vector z with zᵀKz < 0 refutes it.");
  stage.run("mercer data circle --rows 60 --seed 1 -o circle.csv");
  stage.run("mercer kernel check 'sigmoid(gamma=1, coef0=-1)' circle.csv", 1);
  stage.compare(
      "tanh(x·y - 1) is a kernel", "no",
      stage.output().find("positive semi-definite: no") == std::string::npos ? "yes" : "no");
  stage.compare("a witness z is given", "yes",
                stage.output().find("witness") == std::string::npos ? "no" : "yes");
  stage.run("mercer kernel matrix 'sigmoid(gamma=1, coef0=-1)' circle.csv -o K.csv");
  const Matrix<double> k = stage.rows("K.csv");
  // Rows on a circle: all rows with the same weight give the mean of K, which is negative.
  stage.compare("1ᵀK1 < 0", "yes", k.sum() < 0 ? "yes" : "no");
  stage.run(
      "mercer fit circle.csv --kernel 'sigmoid(gamma=1, coef0=-1)' --clip -k 2 --no-plot "
      "-o sigmoid.st");
  stage.run("mercer plot sigmoid.st circle.csv --kind kernel -o sigmoid.svg");
  stage.picture("sigmoid.svg", "tanh(x·y - 1) of all pairs of rows as a heat map");
  stage.text("Positive multiples, sums and products of kernels are kernels:");
  stage.run("mercer kernel check '2*rbf(sigma=1) + (1+x.y)^2' circle.csv");
  stage.compare(
      "2·gaussian + (1 + x·y)² is a kernel", "yes",
      stage.output().find("a Mercer kernel on any rows") == std::string::npos ? "no" : "yes");
  stage.run("mercer kernel check 'rbf(sigma=1) * (1+x.y)^2' circle.csv");
  stage.compare(
      "gaussian · (1 + x·y)² is a kernel", "yes",
      stage.output().find("a Mercer kernel on any rows") == std::string::npos ? "no" : "yes");
  stage.run("mercer fit circle.csv --kernel 'rbf(sigma=1)' -k 5 --no-plot -o gaussian.st");
  stage.text(
      "The Gaussian kernel's matrix of different rows is never singular, so its feature space has "
      "no finite dimension:");
  stage.run("mercer plot gaussian.st circle.csv --kind kernel -o kernel.svg");
  stage.picture("kernel.svg", "the bell curve, and the kernel matrix as a heat map");
}

}  // namespace mercer::cli
