#include "pca/passes.hpp"

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/segments.hpp"
#include "core/weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mercer {

namespace {
/// Rows between two calls of the monitor: a few tenths of a second of work. An entry of sparse rows
/// costs more than one of dense rows, and a little is done for every column where means are taken.
template <class T>
Index piece_rows(const Rows<T>& all) {
  const Index columns = std::max<Index>(1, all.cols());
  if (!all.sparse()) return std::max<Index>(1, (Index{1} << 25) / columns);
  const Index by_entries = all.rows() * (Index{1} << 23) / std::max<Index>(1, all.entries());
  return std::max<Index>(1, std::min(by_entries, (Index{1} << 30) / columns));
}

/// Updates a digest of one cell per row, independent of blocks. `row` counts from the first row of
/// the pass.
template <class T>
std::uint64_t digested(std::uint64_t digest, const Rows<T>& rows, std::int64_t row) {
  for (Index i = 0; i < rows.rows() && !rows.sparse(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, rows.row(i) + (row + i) % rows.cols(), sizeof(T));
    digest = (digest ^ bits) * 0x9E3779B97F4A7C15U;
    digest ^= digest >> 32;
  }
  return digest;
}
/// Exact, but for numbers that are some 1e300 times smaller than the largest.
template <class T>
void multiply_by_power(const T* from, Index count, int exponent, T* to) {
  for (Index i = 0; i < count; ++i) to[i] = std::ldexp(from[i], exponent);
}
}  // namespace

template <class T>
Passes<T>::Passes(const Rows<T>& rows, const double* weights, const Monitor& monitor)
    : memory_(rows),
      weights_(weights),
      monitor_(&monitor),
      features_(rows.cols()),
      sparse_(rows.sparse()) {}

template <class T>
Passes<T>::Passes(Source<T>& source)
    : source_(&source), features_(source.schema().features), sparse_(source.schema().sparse) {}

template <class T>
void Passes<T>::join(Team& team, RowSpread spread) {
  team_ = &team;
  spread_ = std::move(spread);
  rows_ = spread_.rows;
  weight_ = spread_.weight.value();
}

template <class T>
void Passes<T>::begin_source() {
  if (begun_) source_->rewind();
  begun_ = true;
}

template <class T>
void Passes<T>::show(const Block<T>& block, std::vector<double>& room, const Visit& visit) const {
  const Rows<T>& rows = block.rows;
  const double* weights = weights_of(block.weights, rows.rows());
  if (weight_exponent_ != 0 && weights) {
    room.resize(static_cast<std::size_t>(rows.rows()));
    multiply_by_power(weights, rows.rows(), weight_exponent_, room.data());
    weights = room.data();
  }
  if (exponent_ != 0) visit_scaled(rows, weights, visit);
  else visit(rows, weights);
}

template <class T>
void Passes<T>::peek(const std::function<bool(const Rows<T>&, const double*)>& visit) {
  if (!source_) {
    const Index step = piece_rows(memory_);
    for (Index i = 0; i < memory_.rows(); i += step) {
      const Index n = std::min(step, memory_.rows() - i);
      if (!visit(memory_.middle(i, n), weights_ ? weights_ + i : nullptr)) return;
    }
    return;
  }
  begin_source();
  std::vector<double> room;
  bool more = true;
  while (more) {
    const auto block = source_->next();
    if (!block) return;
    show(*block, room,
         [&](const Rows<T>& rows, const double* weights) { more = more && visit(rows, weights); });
  }
}

template <class T>
void Passes<T>::run(std::string_view what, const Visit& visit) {
  std::int64_t rows = 0;
  RunningSum weight;
  const Visit take = [&](const Rows<T>& block, const double* weights) {
    rows += block.rows();
    weight.add(weights, block.rows());
    visit(block, weights);
  };
  if (source_) {
    begin_source();
    std::uint64_t digest = 0;
    std::vector<double> room;
    while (const auto block = source_->next()) {
      digest = digested(digest, block->rows, rows);
      show(*block, room, take);
    }
    require(own_rows_ < 0 || rows == own_rows_, Errc::bad_data,
            "{} changed while it was read: {} rows in the first pass, {} now", Input(name()),
            own_rows_, rows);
    require(own_rows_ < 0 || digest == digest_, Errc::bad_data,
            "{} changed while it was read: its values differ from those of the first pass",
            Input(name()));
    digest_ = digest;
  } else {
    Reporter report(*monitor_, what, "rows", static_cast<double>(memory_.rows()));
    const Index step = piece_rows(memory_);
    for (Index i = 0; i < memory_.rows(); i += step) {
      const Index n = std::min(step, memory_.rows() - i);
      take(memory_.middle(i, n), weights_ ? weights_ + i : nullptr);
      report(static_cast<double>(i + n));
    }
  }
  ++count_;
  own_rows_ = rows;
  if (team_) return;
  rows_ = rows;
  weight_ = weight.value();
}

template <class T>
void Passes<T>::visit_scaled(const Rows<T>& rows, const double* weights, const Visit& visit) const {
  constexpr Index numbers = Index{1} << 20;
  const Index step = std::max<Index>(1, numbers / std::max<Index>(1, rows.cols()));
  std::vector<T> room;
  for (Index i = 0; i < rows.rows(); i += step) {
    const Index n = std::min(step, rows.rows() - i);
    const Rows<T> piece = rows.middle(i, n);
    room.resize(static_cast<std::size_t>(piece.entries()));
    const double* w = weights ? weights + i : nullptr;
    if (piece.sparse()) {
      const CsrView<T>& csr = piece.csr();
      const std::int64_t first = csr.offsets[0];
      multiply_by_power(csr.values + first, piece.entries(), exponent_, room.data());
      std::vector<std::int64_t> offsets(csr.offsets, csr.offsets + n + 1);
      for (std::int64_t& offset : offsets) offset -= first;
      visit(Rows<T>(CsrView<T>{offsets.data(), csr.columns + first, room.data()}, n, rows.cols()),
            w);
    } else {
      for (Index r = 0; r < n; ++r)
        multiply_by_power(piece.row(r), rows.cols(), exponent_, room.data() + r * rows.cols());
      visit(Rows<T>(room.data(), n, rows.cols(), rows.cols()), w);
    }
  }
}

template <class T>
double Passes<T>::largest() {
  double largest = 0;
  run("range", [&](const Rows<T>& rows, const double* weights) {
    for (Index i = 0; i < rows.rows(); ++i) {
      const double root = weights ? std::sqrt(weights[i]) : 1.0;
      if (root == 0) continue;
      const T* from = rows.sparse() ? rows.csr().values + rows.csr().offsets[i] : rows.row(i);
      const Index entries =
          rows.sparse() ? rows.csr().offsets[i + 1] - rows.csr().offsets[i] : rows.cols();
      for (Index e = 0; e < entries; ++e) {
        const double x = std::abs(static_cast<double>(from[e]));
        if (std::isfinite(x)) largest = std::max(largest, root < 1 ? root * x : x);
        if (std::isfinite(x) && root > 1) largest = std::max(largest, std::min(root * x, 1e308));
      }
    }
  });
  return largest;
}

template <class T>
void Passes<T>::multiply(double largest) {
  normalized_ = true;
  if (largest == 0) return;
  exponent_ = -std::ilogb(largest);
  if (source_) return;
  const Rows<T> rows = memory_;
  if (rows.sparse()) {
    const CsrView<T>& csr = rows.csr();
    scaled_values_.resize(static_cast<std::size_t>(csr.offsets[rows.rows()]));
    multiply_by_power(csr.values + csr.offsets[0], rows.entries(), exponent_,
                      scaled_values_.data() + csr.offsets[0]);
    memory_ = Rows<T>(CsrView<T>{csr.offsets, csr.columns, scaled_values_.data()}, rows.rows(),
                      rows.cols());
  } else {
    scaled_.resize(rows.rows(), rows.cols());
    for (Index i = 0; i < rows.rows(); ++i)
      multiply_by_power(rows.row(i), rows.cols(), exponent_, scaled_.row(i).data());
    memory_ = Rows<T>(scaled_);
  }
}

template <class T>
void Passes<T>::scale_weights(int exponent) {
  weight_exponent_ = exponent;
  weight_ = std::ldexp(weight_, exponent);
  const auto [sum, lost] = spread_.weight_before.state();
  spread_.weight_before.restore(std::ldexp(sum, exponent), std::ldexp(lost, exponent));
  if (source_ || !weights_) return;
  scaled_weights_.resize(static_cast<std::size_t>(memory_.rows()));
  multiply_by_power(weights_, memory_.rows(), exponent, scaled_weights_.data());
  weights_ = scaled_weights_.data();
}

template class Passes<float>;
template class Passes<double>;

}  // namespace mercer
