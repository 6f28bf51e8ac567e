// Kernel PCA of a user-defined kernel matrix in a file: it is mapped, and read in panels
// of rows once per pass. It may be larger than the memory.

#include <mercer/mercer.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

/// K as n×n doubles in a file, row by row.
class KernelFile {
 public:
  KernelFile(const std::string& path, mercer::Index n) : n_(n), bytes_(sizeof(double) * n * n) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) map_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (map_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  ~KernelFile() { munmap(map_, bytes_); }
  KernelFile(const KernelFile&) = delete;
  KernelFile& operator=(const KernelFile&) = delete;

  mercer::Index size() const { return n_; }
  void apply(const mercer::Matrix<double>& v, mercer::Matrix<double>& out) const {
    constexpr mercer::Index panel = 256;
    for (mercer::Index i = 0; i < n_; i += panel) {
      const mercer::Index rows = std::min(panel, n_ - i);
      out.middleRows(i, rows).noalias() = matrix().middleRows(i, rows) * v;
    }
  }
  double trace() const { return matrix().trace(); }

 private:
  Eigen::Map<const mercer::Matrix<double>> matrix() const {
    return {static_cast<const double*>(map_), n_, n_};
  }
  mercer::Index n_;
  std::size_t bytes_;
  void* map_ = MAP_FAILED;
};

int main() {
  const mercer::Matrix<double> x = mercer::Matrix<double>::Random(1000, 3);
  const mercer::Kernel kernel = mercer::kernels::rbf({.gamma = 0.5});
  {
    const mercer::Matrix<double> k = kernel.matrix(x);  // in practice from another program
    std::ofstream("kernel.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(k.data()),
               static_cast<std::streamsize>(sizeof(double)) * k.size());
  }

  KernelFile k("kernel.bin", x.rows());
  const auto model = mercer::fit(mercer::Centered(k), {.components = 3});
  std::cout << "variances " << model.explained_variance().transpose() << " in "
            << model.report().solver.passes << " passes over the file\n";

  const auto rows = mercer::fit(x, {.components = 3, .kernel = kernel});
  const double apart = (model.training_scores() - rows.training_scores()).cwiseAbs().maxCoeff();
  std::cout << "scores differ from those of the rows by " << apart << '\n';
  return apart < 1e-6 ? 0 : 1;
}
