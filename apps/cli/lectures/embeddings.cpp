#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace mercer::cli {

namespace {

/// n choose k.
double binomial(int n, int k) {
  double product = 1;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

}  // namespace

void conic_to_plane(Stage& stage) {
  stage.text(
      "Rows on the ellipse x1² - 2 x1 x2 + 2 x2² = 2 are embedded in three dimensions by "
      "φ(x) = (x1², √2 x1 x2, x2²). There they lie in a plane, whose normal is the component "
      "without variance.");
  stage.formula("a x1² + b x2² + c x1x2 + d = 0   ⟹   a z1 + (c/√2) z2 + b z3 + d = 0");
  stage.run("mercer data ellipse --rows 200 --seed 1 -o ellipse.csv");
  stage.run(
      "mercer fit ellipse.csv --map 'x1^2, sqrt(2)*x1*x2, x2^2' --keep-null --no-plot -o conic.st");
  stage.run("mercer export conic.st --what components -o components.csv");
  stage.show("components.csv");
  const Model<double> model = stage.model("conic.st");
  const Matrix<double>& q = model.components();
  stage.compare("components, with the null direction", 3, static_cast<double>(q.rows()), 0);
  const Vector<double> normal = q.row(q.rows() - 1).transpose() / q(q.rows() - 1, 0);
  stage.compare("variance along the normal", 0, model.explained_variance()[q.rows() - 1], 1e-12);
  stage.compare("x1² (scaled to 1)", 1, normal[0], 1e-10);
  stage.compare("x1x2", -2, normal[1] * std::numbers::sqrt2, 1e-10);
  stage.compare("x2²", 2, normal[2], 1e-10);
  stage.compare("right-hand side", 2, normal.dot(model.mean()), 1e-10);
  stage.text(
      "With noise the smallest variance is no longer 0, and the coefficients are estimates:");
  stage.run("mercer data ellipse --rows 200 --noise 0.01 --seed 1 -o noisy.csv");
  stage.run("mercer fit noisy.csv --map 'x1^2, sqrt(2)*x1*x2, x2^2' --no-plot -o noisy.st");
  stage.run("mercer inspect noisy.st --relations");
  const Matrix<double> rough = stage.model("noisy.st").components().bottomRows(1);
  stage.compare("x1x2, noise 0.01", -2, rough(0, 1) * std::numbers::sqrt2 / rough(0, 0), 0.1);
  stage.compare("x2², noise 0.01", 2, rough(0, 2) / rough(0, 0), 0.1);
  stage.run("mercer plot conic.st ellipse.csv --kind lift -o lift.svg");
  stage.picture("lift.svg", "the ellipse, lifted to three dimensions, lies in a plane");
}

void monomials(Stage& stage) {
  stage.text(
      "All monomials of degree M of d columns, with the weights √(M!/(p₁!⋯p_d!)), have the inner "
      "product (xᵀy)^M; there are D = C(M + d - 1, M) of them.");
  stage.write("rows.csv", "x1,x2,x3\n1,2,3\n0,1,-1\n2,-1,1\n");
  stage.run("mercer map 'monomials(degree=2)' rows.csv -o Phi.csv");
  stage.show("Phi.csv");
  stage.run("mercer kernel matrix 'poly(degree=2, coef0=0)' rows.csv -o K.csv");
  stage.show("K.csv");
  stage.run("mercer map 'plain(degree=2, exactly=yes)' rows.csv -o plain.csv");
  const Matrix<double> phi = stage.rows("Phi.csv"), plain = stage.rows("plain.csv"),
                       k = stage.rows("K.csv");
  stage.compare("D for d = 3, M = 2", binomial(4, 2), static_cast<double>(phi.cols()), 0);
  stage.compare("ΦΦᵀ - K, largest entry", 0, (phi * phi.transpose() - k).cwiseAbs().maxCoeff(),
                1e-12);
  stage.compare("K12 = (x1·x2)²", 1, k(0, 1), 1e-12);
  stage.report("K12 of the features without √2", plain.row(0).dot(plain.row(1)));
  stage.run("mercer map 'monomials(degree=5)' rows.csv -o fifth.csv");
  stage.compare("D for d = 3, M = 5", binomial(7, 5),
                static_cast<double>(stage.rows("fifth.csv").cols()), 0);
  stage.text("The same components and scores from features and from kernel values, Z = UΛ^½:");
  stage.run("mercer data ellipse --rows 200 --seed 1 -o ellipse.csv");
  stage.run(
      "mercer fit ellipse.csv --map 'monomials(degree=2)' -k 2 --no-plot -o map.st "
      "--scores map-scores.csv");
  stage.run(
      "mercer fit ellipse.csv --kernel 'poly(degree=2, coef0=0)' -k 2 --no-plot -o kernel.st "
      "--scores kernel-scores.csv");
  const Vector<double> a = stage.model("map.st").eigenvalues(),
                       b = stage.model("kernel.st").eigenvalues();
  const Matrix<double> y = stage.rows("map-scores.csv"), z = stage.rows("kernel-scores.csv");
  for (Index i = 0; i < 2; ++i) {
    stage.compare(fmt::format("μ{} of map and kernel", i + 1), a[i], b[i], 1e-8 * a[0]);
    // A component has two signs.
    const double sign = y.col(i).dot(z.col(i)) < 0 ? -1 : 1;
    stage.compare(fmt::format("scores {} of map and kernel, largest difference", i + 1), 0,
                  (y.col(i) - sign * z.col(i)).cwiseAbs().maxCoeff(), 1e-8);
  }
  stage.run("mercer contour map.st --data ellipse.csv -o contour.svg");
  stage.picture("contour.svg",
                "contour lines of the two components: combinations of x1², x1x2 and x2²");
}

}  // namespace mercer::cli
