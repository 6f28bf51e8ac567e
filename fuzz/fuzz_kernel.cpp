// A kernel expression parses to something that prints to itself and has a finite, symmetric matrix
// on dense and sparse rows; or it is refused.
#include <mercer/kernel.hpp>

#include <mercer/error.hpp>

#include <Eigen/SparseCore>

#include <cstdlib>
#include <string_view>

namespace {

using namespace mercer;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Matrix<double> x{{0, 1, 0.5}, {2, 0, 0}, {0.25, 1, 3}, {0, 0, 0}, {2, 0, 0}};
  static const Csr<double> sparse = Csr<double>::from(Eigen::SparseMatrix<double>(x.sparseView()));
  try {
    const Kernel parsed = Kernel::parse(text);
    check(Kernel::parse(parsed.text()).text() == parsed.text());
    const Kernel kernel = parsed.completed(Rows<double>(x));
    check(kernel.complete());
    check(Kernel::parse(kernel.text()).text() == kernel.text());
    if (const auto parameters = kernel.parameters(); !parameters.empty()) {
      const KernelParameter& last = parameters.back();
      check(kernel.with(last.name, last.value.value()).text() == kernel.text());
    }
    const Matrix<double> k = kernel.matrix(x, {.threads = 1});
    check(k.allFinite() && k == k.transpose());
    const Matrix<double> other = kernel.matrix(Rows<double>(sparse), {.threads = 1});
    check(other.allFinite() && other == other.transpose());
  } catch (const Error& e) {
    check(e.code() == Errc::bad_option || e.code() == Errc::bad_data);
    check(std::string_view(e.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
