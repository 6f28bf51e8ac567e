#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::cli {

namespace {

constexpr double first_share = 4.0 / 9;                                // rows of the first cloud
constexpr double variance_within = (800.0 / 81 + 1000.0 / 36) / 1800;  // variance within the clouds
constexpr double variance_between =
    first_share * (1 - first_share) * 0.5;  // of the centres, on the diagonal

std::string as_direction(const Matrix<double>& components, Index k) {
  return fmt::format("{:.9f},{:.9f}", components(k, 0), components(k, 1));
}

}  // namespace

void variance_probe(Stage& stage) {
  stage.text("Along a unit vector q, centred rows with the covariance matrix R have the variance");
  stage.formula("ψ(q) = qᵀRq");
  stage.text(
      "It is extremal where Rq = λq: along the eigenvectors of R. The rows are the lecture's two "
      "clouds.");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  stage.run("mercer fit clouds.csv --label class --ddof 0 --no-plot -o clouds.st");
  stage.text("The probe along both axes, both eigenvectors and the first diagonal:");
  const Model<double> model = stage.model("clouds.st");
  const Matrix<double>& q = model.components();
  const std::string directions =
      fmt::format("--direction 1,0 --direction 0,1 --direction 1,1 --direction {} --direction {}",
                  as_direction(q, 0), as_direction(q, 1));
  stage.run("mercer probe clouds.csv --label class --ddof 0 " + directions);
  const nlohmann::json probe =
      stage.json("mercer probe clouds.csv --label class --ddof 0 --json " + directions);
  const auto along = [&](int i) { return probe["directions"][i]["variance"].get<double>(); };
  const Vector<double> variance = model.explained_variance();
  stage.compare("ψ(q1) = λ1", variance[0], along(3), 1e-12);
  stage.compare("ψ(q2) = λ2", variance[1], along(4), 1e-12);
  stage.compare("ψ(e1) = λ1 cos²β + λ2 sin²β",
                variance[0] * q(0, 0) * q(0, 0) + variance[1] * q(1, 0) * q(1, 0), along(0), 1e-12);
  stage.compare("ψ(e1) + ψ(e2) = λ1 + λ2", variance.sum(), along(0) + along(1), 1e-12);
  stage.run("mercer plot clouds.st --kind probe -o probe.svg");
  stage.picture("probe.svg", "ψ(q) over the angle of q; the eigenvectors are at its extremes");
}

void two_clouds(Stage& stage) {
  stage.text(
      "800 points around (½, ½) with standard deviation 1/9 and 1000 points around (1, 1) with "
      "standard deviation 1/6. The lecture prints Q and λ of its sample; this is another sample. "
      "Expected are the variance within the clouds plus that of the two centres:");
  stage.formula("λ₂ = (800/81 + 1000/36)/1800 = 0.0209,   λ₁ = λ₂ + (4/9)(5/9)·½ = 0.1444");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  stage.run("mercer fit clouds.csv --label class --ddof 0 --no-plot -o clouds.st");
  stage.text("The matrices R and Q themselves:");
  stage.run("mercer matrix clouds.csv --label class --what covariance --ddof 0 -o R.csv");
  stage.show("R.csv");
  stage.run("mercer export clouds.st --what components -o Q.csv");
  stage.show("Q.csv");
  const Model<double> model = stage.model("clouds.st");
  const Vector<double> variance = model.explained_variance();
  const Matrix<double>& q = model.components();
  stage.compare_printed("λ1, lecture's sample", 0.14425, variance[0], 0.01);
  stage.compare_printed("λ2, lecture's sample", 0.02161, variance[1], 0.003);
  stage.compare("λ1, all samples", variance_within + variance_between, variance[0], 0.01);
  stage.compare("λ2, all samples", variance_within, variance[1], 0.003);
  stage.compare_printed("q11", 0.70285, std::abs(q(0, 0)), 0.02);
  stage.compare_printed("q21", 0.71134, std::abs(q(0, 1)), 0.02);
  const Matrix<double> r = stage.rows("R.csv", "column");
  const Matrix<double> rest = r * q.transpose() - q.transpose() * variance.asDiagonal();
  stage.compare("RQ - QΛ, largest entry", 0, rest.cwiseAbs().maxCoeff(), 1e-12);
  stage.compare("QᵀQ - I, largest entry", 0,
                (q * q.transpose() - Matrix<double>::Identity(2, 2)).cwiseAbs().maxCoeff(), 1e-12);
  stage.run("mercer plot clouds.st clouds.csv --kind axes -o axes.svg");
  stage.picture("axes.svg", "the clouds, with axes of length √λ through their mean");
}

void encode_decode(Stage& stage) {
  stage.text(
      "The first l scores encode a row; decoding them loses the variances that were discarded:");
  stage.formula("mean ‖x - x̂‖² = λ_{l+1} + … + λ_d");
  stage.copy_bundled("iris.csv", "iris.csv");
  stage.run("mercer fit iris.csv --label species --ddof 0 --no-plot -o all.st");
  stage.run("mercer fit iris.csv --label species --ddof 0 -k 2 --quiet -o two.st");
  stage.run("mercer transform two.st iris.csv -o scores.csv --quiet");
  stage.run("mercer inverse two.st scores.csv -o decoded.csv --quiet");
  const Vector<double> variance = stage.model("all.st").explained_variance();
  const Matrix<double> x = stage.rows("iris.csv", "species");
  const double loss =
      (x - stage.rows("decoded.csv", "species")).squaredNorm() / static_cast<double>(x.rows());
  stage.compare("loss of 2 of 4 scores = λ3 + λ4", variance[2] + variance[3], loss, 1e-12);
  stage.run("mercer transform all.st iris.csv -o every.csv --quiet");
  stage.run("mercer inverse all.st every.csv -o same.csv --quiet");
  stage.compare("largest error of 4 of 4 scores", 0,
                (x - stage.rows("same.csv", "species")).cwiseAbs().maxCoeff(), 1e-12);
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  stage.compare("total variance = Σλ", centred.squaredNorm() / static_cast<double>(x.rows()),
                variance.sum(), 1e-12);
  stage.run("mercer plot all.st --kind scree -o scree.svg");
  stage.picture("scree.svg", "variance per component, and the running total");
}

void compression(Stage& stage) {
  stage.text(
      "1797 images of 8 × 8 pixels, stored as 10 scores each. The share of the variance that is "
      "lost is that of the 54 components that were not kept.");
  stage.copy_bundled("digits.csv", "digits.csv");
  stage.run("mercer fit digits.csv --label digit --ddof 0 -k 10 --no-plot -o digits.st");
  stage.run("mercer compress digits.st digits.csv --label digit --scores float32 -o digits.mrc");
  stage.run("mercer decompress digits.mrc -o restored.csv");
  const Model<double> model = stage.model("digits.st");
  const Matrix<double> x = stage.rows("digits.csv", "digit");
  const Matrix<double> y = stage.rows("restored.csv", "digit");
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  stage.compare("share of the variance lost", 1 - model.explained_variance_ratio().sum(),
                (x - y).squaredNorm() / centred.squaredNorm(), 1e-5);
  stage.report("bytes as doubles", static_cast<double>(x.size()) * 8);
  stage.report("bytes compressed", static_cast<double>(stage.content("digits.mrc").size()));
  stage.run("mercer plot digits.st --kind images -o components.svg");
  stage.picture("components.svg", "the mean image and the components as images");
}

}  // namespace mercer::cli
