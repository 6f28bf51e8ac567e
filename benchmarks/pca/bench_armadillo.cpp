// bench_armadillo FILE.npy K [REPS]: arma::cov + eig_sym on the rows in memory, one line of JSON.
#include <armadillo>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::string head(10, ' ');
  file.read(head.data(), 10);
  std::string header(
      static_cast<unsigned char>(head[8]) + 256U * static_cast<unsigned char>(head[9]), ' ');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  unsigned long long n = 0, d = 0;
  if (std::sscanf(header.c_str() + header.find("'shape'"), "'shape': (%llu, %llu", &n, &d) != 2)
    return 1;
  arma::mat transposed(d, n);  // row-major in the file
  file.read(reinterpret_cast<char*>(transposed.memptr()), static_cast<std::streamsize>(8 * n * d));
  const arma::mat x = transposed.t();
  transposed.reset();
  arma::vec values;
  arma::mat vectors;
  double best = 1e300;
  for (int i = 0; i < (argc > 3 ? std::atoi(argv[3]) : 3); ++i) {
    const auto start = std::chrono::steady_clock::now();
    arma::eig_sym(values, vectors, arma::cov(x));
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("{\"seconds\": %.17g, \"values\": [", best);
  const int k = std::atoi(argv[2]);
  for (int j = 0; j < k; ++j) std::printf("%s%.17g", j ? ", " : "", values[d - 1 - j]);
  std::printf("]}\n");
}
