#pragma once
// Products with a kernel matrix that are saved in the checkpoint of a fit, and read where it has
// them (pca/pass_log.hpp). All ranks call these functions together.

#include "core/packed.hpp"
#include "core/row_hash.hpp"
#include "core/team.hpp"
#include "operators/kernel_matrix.hpp"
#include "pca/recorded_pass.hpp"
#include "solvers/tall_block.hpp"

#include <mercer/fit.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

template <class T>
class RecordedProducts {
 public:
  RecordedProducts(KernelMatrix<T>& matrix, const TallBlocks& tall, const FitOptions& options)
      : matrix_(matrix), tall_(tall), log_(log_of(options)) {}

  Index size() const { return matrix_.size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    through_log("product", v, out, [&] { matrix_.apply(v, out); });
  }
  void apply_exact(const Matrix<double>& v, Matrix<double>& out) {
    through_log("exact", v, out, [&] { matrix_.apply_exact(v, out); });
  }

 private:
  template <class Product>
  void through_log(std::string_view what, const Matrix<double>& v, Matrix<double>& out,
                   const Product& product) {
    if (!log_) return product();
    RowHash hash;
    hash.add(v);
    std::uint64_t input = 0;
    for (const std::int64_t part :
         all_of(tall_.team(), static_cast<std::int64_t>(hash.after(tall_.first_row()))))
      input += static_cast<std::uint64_t>(part);
    const PassKey key{what, input};
    const bool first = matrix_.is_first();
    std::string seen;
    out.resize(v.rows(), v.cols());
    const RowsOfBlock block{&out, tall_.first_row(), tall_.size()};
    if (log_->read(tall_.team(), key, seen, block)) {
      if (!first) return;
      typename KernelMatrix<T>::Seen before;
      unpack(seen, before);
      return matrix_.continue_after(std::move(before));
    }
    product();
    log_->write(tall_.team(), key, first ? packed(matrix_.seen()) : std::string(), block);
  }

  KernelMatrix<T>& matrix_;
  const TallBlocks& tall_;
  PassLog* log_;
};

}  // namespace mercer
