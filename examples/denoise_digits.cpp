// Digits with Gaussian noise, and what linear and kernel PCA make of them, by the number of
// components.
//
//     example_denoise_digits digits.csv [train] [test]     rows; writes digits.svg
//
// The models are fitted to clean digits; the noise of the others has a deviation of 5, where pixels
// run from 0 to 16. The picture shows ten of them: as they were, noisy, and denoised by each model
// at its best k.
#include <mercer/mercer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace mercer;

namespace {

double mean_square(const Matrix<double>& off) {
  return off.squaredNorm() / static_cast<double>(off.size());
}

struct Best {
  double error = 1e300;
  Index k = 0;
  Matrix<double> rows;
};

void take(Best& best, const Matrix<double>& rows, const Matrix<double>& truth, Index k) {
  const double error = mean_square(rows - truth);
  if (error < best.error) best = {error, k, rows};
}

/// Ten digits a line, one line for each of the tables; squares of the same grey are one path.
void draw(const std::string& path, const std::vector<std::string>& names,
          const std::vector<Matrix<double>>& tables) {
  constexpr Index pixel = 4, side = 8 * pixel + 6, left = 110;
  std::array<std::string, 17> paths;
  for (std::size_t t = 0; t < tables.size(); ++t)
    for (Index i = 0; i < 10; ++i)
      for (Index p = 0; p < 64; ++p) {
        const auto grey =
            static_cast<std::size_t>(std::clamp(std::lround(tables[t](i, p)), 0L, 16L));
        if (grey == 0) continue;
        paths[grey]
            .append("M")
            .append(std::to_string(left + i * side + p % 8 * pixel))
            .append(" ")
            .append(std::to_string(6 + static_cast<Index>(t) * side + p / 8 * pixel))
            .append("h4v4h-4z");
      }
  std::ofstream out(path);
  const Index height = static_cast<Index>(tables.size()) * side + 6;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << left + 10 * side << "\" height=\""
      << height << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<title>Digits: " << names[0];
  for (std::size_t t = 1; t < names.size(); ++t) out << ", " << names[t];
  out << "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  for (std::size_t t = 0; t < names.size(); ++t)
    out << "<text x=\"8\" y=\"" << 6 + static_cast<Index>(t) * side + 21 << "\">" << names[t]
        << "</text>\n";
  for (std::size_t grey = 1; grey < paths.size(); ++grey) {
    if (paths[grey].empty()) continue;
    const auto shade = std::to_string(255 - 255 * grey / 16);
    out << "<path fill=\"rgb(" << shade << "," << shade << "," << shade << ")\" d=\"" << paths[grey]
        << "\"/>\n";
  }
  out << "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  const auto digits = read<double>(argv[1], {.label = "digit"});
  const Index train = argc > 2 ? std::atol(argv[2]) : 300,
              test = argc > 3 ? std::atol(argv[3]) : 60;
  const Matrix<double> x = digits.x.topRows(train), truth = digits.x.bottomRows(test);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal(0, 5);
  const Matrix<double> noisy =
      truth + Matrix<double>::NullaryExpr(test, 64, [&] { return normal(generator); });

  std::printf(
      "%zd digits to learn from, %zd with noise of deviation 5: mean squared error %.2f\n\n", train,
      test, mean_square(noisy - truth));
  std::printf(
      "| k | linear | fixed point | ridge | distances | fixed point from the row |\n"
      "|---|---|---|---|---|---|\n");
  Best linear, kernel;
  const auto all = fit(x);
  for (const Index k : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    if (k > train / 2) break;
    std::printf("| %zd |", k);
    if (k <= 64) {
      const Matrix<double> scores = all.transform(noisy).leftCols(std::min(k, all.outputs())),
                           rows = all.inverse(scores);
      take(linear, rows, truth, k);
      std::printf(" %.2f |", mean_square(rows - truth));
    } else {
      std::printf(" |");
    }
    const auto model = fit(x, {.components = k, .kernel = kernels::rbf()});
    for (const PreImageOptions& how : {PreImageOptions{},
                                       {.method = PreImageMethod::ridge},
                                       {.method = PreImageMethod::distances},
                                       {.start = PreImageStart::row}}) {
      const Matrix<double> rows = Decoder<double>(model, how).denoise(noisy).rows;
      take(kernel, rows, truth, k);
      std::printf(" %.2f |", mean_square(rows - truth));
    }
    std::printf("\n");
  }
  std::printf("\nbest: linear %.2f with %zd components, kernel %.2f with %zd\n", linear.error,
              linear.k, kernel.error, kernel.k);
  draw("digits.svg", {"clean", "noisy", "linear PCA", "kernel PCA"},
       {truth.topRows(10), noisy.topRows(10), linear.rows.topRows(10), kernel.rows.topRows(10)});
  return kernel.error < linear.error ? 0 : 1;
}
