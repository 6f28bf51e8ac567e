#include "operators/gram.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/segments.hpp"
#include "core/team_nodes.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

namespace {

/// Columns in a strip: rows of 4 KiB, so that the strip stays in cache until it is multiplied.
constexpr Index strip_columns = 512;
/// Up to this many rows, rows that can be used in place are multiplied first, then centred.
constexpr Index raw_rows = 1024;
/// Beyond this ratio, centring sparse products afterwards has cost too many digits.
constexpr double cancellation_limit = 1e4;

struct Strip {
  Index first, count;
};

Index strip_total(Index d) { return (d + strip_columns - 1) / strip_columns; }

Strip strip_at(Index i, Index d) {
  return {i * strip_columns, std::min(strip_columns, d - i * strip_columns)};
}

template <class T>
void fill(const CentredRows<T>& a, Strip strip, double* out) {
  centred_block(a.x, strip.first, strip.count,
                {.centre = a.mean.data(),
                 .weights = a.weights,
                 .missing = a.missing.size() > 0 ? a.missing.data() : nullptr},
                out, strip.count);
  if (a.scale.size() > 0)
    Eigen::Map<Matrix<double>>(out, a.x.rows(), strip.count).array().rowwise() /=
        a.scale.segment(strip.first, strip.count).array().transpose();
}

/// Columns that are multiplied at once if rows can be used in place.
constexpr Index slab_columns = 4096;

/// Beyond this ratio, rows are centred before their product instead of after it; `far` tells
/// before.
constexpr double raw_cancellation_limit = 16;

/// Rows that A differs from by their mean only, and that is no larger than they are about it.
bool as_they_lie(const CentredRows<double>& a) {
  return !a.x.sparse() && !a.weights && a.scale.size() == 0 && a.missing.size() == 0 && !a.far;
}

/// ‖G‖ of a symmetric matrix given by its upper triangle.
double norm_of_upper(const Matrix<double>& g) {
  double squares = 0;
  for (Index i = 0; i < g.rows(); ++i)
    squares += 2 * g.row(i).tail(g.rows() - i).squaredNorm() - g(i, i) * g(i, i);
  return std::sqrt(squares);
}

/// √w/√Σw, a unit vector.
template <class T>
Vector<double> unit_weights(const CentredRows<T>& a) {
  const Index n = a.x.rows();
  if (!a.weights) return Vector<double>::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  Vector<double> root = Eigen::Map<const Vector<double>>(a.weights, n).cwiseSqrt();
  return root.stableNormalized();
}

/// JGJ of a symmetric matrix given by its upper triangle, J = I − uuᵀ.
void centre_products(Matrix<double>& g, const Vector<double>& u) {
  g.triangularView<Eigen::StrictlyLower>() = g.transpose();
  Vector<double> along = g * u;
  along -= 0.5 * u.dot(along) * u;
  g.noalias() -= u * along.transpose();
  g.noalias() -= along * u.transpose();
}

/// What was summed, and centred then.
Gram centred_gram(Matrix<double> products, double depth, bool centred, const Vector<double>& u) {
  Gram out{std::move(products), {}, 0, depth};
  out.squares = out.products.diagonal();
  if (!centred) return out;
  out.norm = norm_of_upper(out.products);
  centre_products(out.products, u);
  return out;
}

/// Some columns of all rows.
struct ColumnStrip {
  const double* data;
  Index columns, stride;
};

struct GramSum {
  Matrix<double> g;
  void merge(const GramSum& later) { g += later.g; }
};

/// Σ AAᵀ over strips of columns, in an order that depends neither on threads nor on ranks: few rows
/// have a sum for each strip, which meet in a tree; the entries for more rows are shared out as
/// tiles.
class StripSums {
 public:
  StripSums(Index rows, Index strips, int threads, Team& team)
      : n_(rows), threads_(thread_count(threads)), team_(team), mine_{0, strips} {
    if (n_ <= few_rows) {
      mine_ = segments_of(strips, team.rank(), team.size());
      tree_.begin_at(mine_.first);
      return;
    }
    const Index across = (n_ + tile - 1) / tile;
    for (Index i = 0; i < across; ++i)
      for (Index j = i; j < across; ++j) tiles_.push_back({i * tile, j * tile});
  }

  /// `strip(i, room)` gives the i-th strip, which may lie in `room`; `done(i)`: those before i are
  /// summed.
  template <class Get, class Done>
  void run(const Get& strip, const Done& done) {
    if (n_ > few_rows) out_ = Matrix<double>::Zero(n_, n_);
    const Index at_once = n_ <= few_rows ? 8 * threads_ : threads_;
    for (Index begin = mine_.first; begin < mine_.end; begin += at_once) {
      const Index end = std::min(mine_.end, begin + at_once);
      if (n_ <= few_rows) add_whole(begin, end, strip);
      else add_tiles(begin, end, strip);
      done(end);
    }
  }

  /// The sum, on rank 0.
  Matrix<double> collect() {
    if (n_ > few_rows) {
      collect_tiles();
      return std::move(out_);
    }
    collect_nodes(
        team_, tree_,
        [](const GramSum& sum) { return Numbers(sum.g.data(), sum.g.data() + sum.g.size()); },
        [&](const Numbers& numbers) {
          return GramSum{Eigen::Map<const Matrix<double>>(numbers.data(), n_, n_)};
        });
    out_ = Matrix<double>::Zero(n_, n_);
    tree_.from_last([&](const GramSum& sum) { out_ += sum.g; });
    return std::move(out_);
  }

 private:
  static constexpr Index few_rows = 256, tile = 128;
  struct Tile {
    Index row, column;
  };

  template <class Get>
  void add_whole(Index begin, Index end, const Get& strip) {
    std::vector<GramSum> sums(static_cast<std::size_t>(end - begin));
    parallel_for(end - begin, threads_, [&](Index i) {
      Matrix<double>& g = sums[static_cast<std::size_t>(i)].g;
      g.setZero(n_, n_);
      Matrix<double> room;
      const ColumnStrip s = strip(begin + i, room);
      add_outer_products(s.data, n_, s.columns, s.stride, g.data(), n_);
    });
    for (GramSum& sum : sums) tree_.push(sum);
  }

  template <class Get>
  void add_tiles(Index begin, Index end, const Get& strip) {
    std::vector<ColumnStrip> strips(static_cast<std::size_t>(end - begin));
    rooms_.resize(std::max(rooms_.size(), strips.size()));
    parallel_for(end - begin, threads_, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      strips[at] = strip(begin + i, rooms_[at]);
    });
    const SegmentRange share = tiles_of(team_.rank());
    parallel_for(share.size(), threads_, [&](Index t) {
      const auto [i, j] = tiles_[static_cast<std::size_t>(share.first + t)];
      const Index width = std::min(tile, n_ - j);
      for (const ColumnStrip& s : strips) {
        const double *left = s.data + i * s.stride, *right = s.data + j * s.stride;
        double* to = out_.row(i).data() + j;
        if (i == j) add_outer_products(left, width, s.columns, s.stride, to, n_);
        else
          multiply_transposed(left, tile, s.columns, s.stride, right, width, s.stride, to, n_,
                              true);
      }
    });
  }

  SegmentRange tiles_of(int rank) const {
    return segments_of(std::ssize(tiles_), rank, team_.size());
  }
  auto block(Tile at) {
    return out_.block(at.row, at.column, std::min(tile, n_ - at.row),
                      std::min(tile, n_ - at.column));
  }

  void collect_tiles() {
    const auto each = [&](int rank, const auto& use) {
      const SegmentRange share = tiles_of(rank);
      for (Index t = share.first; t < share.end; ++t) use(tiles_[static_cast<std::size_t>(t)]);
    };
    if (team_.rank() != 0) {
      Numbers numbers;
      each(team_.rank(), [&](Tile at) {
        for (const auto& row : block(at).rowwise())
          numbers.insert(numbers.end(), row.begin(), row.end());
      });
      return send_numbers(team_, 0, numbers);
    }
    for (int rank = 1; rank < team_.size(); ++rank) {
      const Numbers numbers = receive_numbers(team_, rank);
      const double* from = numbers.data();
      each(rank, [&](Tile at) {
        auto to = block(at);
        to = Eigen::Map<const Matrix<double>>(from, to.rows(), to.cols());
        from += to.size();
      });
    }
  }

  Index n_;
  int threads_;
  Team& team_;
  SegmentRange mine_;  // strips that this rank sums
  std::vector<Tile> tiles_;
  Matrix<double> out_;
  Segments<GramSum> tree_;
  std::vector<Matrix<double>> rooms_;
};

/// XXᵀ of the rows, without a copy.
Matrix<double> products_in_place(const Rows<double>& x, int threads, const Monitor& monitor,
                                 Team& team) {
  const Index d = x.cols();
  const BlasThreads one(1);
  StripSums sums(x.rows(), (d + slab_columns - 1) / slab_columns, threads, team);
  Reporter report(monitor, "Gram matrix", "columns", static_cast<double>(d));
  agree(team, [&] {
    sums.run(
        [&](Index i, Matrix<double>&) {
          return ColumnStrip{x.row(0) + i * slab_columns,
                             std::min(slab_columns, d - i * slab_columns), x.stride()};
        },
        [&](Index end) { report(static_cast<double>(std::min(d, end * slab_columns))); });
  });
  return sums.collect();
}

/// AAᵀ, not centred for good.
template <class T>
Matrix<double> centred_products(const CentredRows<T>& a, int threads, const Monitor& monitor,
                                Team& team) {
  const Index n = a.x.rows(), d = a.x.cols();
  const BlasThreads one(1);
  StripSums sums(n, strip_total(d), n * n * d > 4000000 ? threads : 1, team);
  Reporter report(monitor, "Gram matrix", "columns", static_cast<double>(d));
  agree(team, [&] {
    sums.run(
        [&](Index i, Matrix<double>& room) {
          const Strip strip = strip_at(i, d);
          room.resize(n, strip.count);
          fill(a, strip, room.data());
          return ColumnStrip{room.data(), strip.count, strip.count};
        },
        [&](Index end) { report(static_cast<double>(std::min(d, end * strip_columns))); });
  });
  return sums.collect();
}

template <class T>
Vector<double> divisors_of(const CentredRows<T>& a) {
  return a.scale.size() > 0 ? a.scale : Vector<double>(Vector<double>::Ones(a.x.cols()));
}

/// A row of sparse rows, divided.
template <class T>
Vector<double> dense_row(const CsrView<T>& csr, Index i, const Vector<double>& divisor) {
  Vector<double> row = Vector<double>::Zero(divisor.size());
  for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
    row[csr.columns[e]] = static_cast<double>(csr.values[e]) / divisor[csr.columns[e]];
  return row;
}

/// x_i·x_j over the entries only; rank r has rows r, r + size, ….
template <class T>
Matrix<double> sparse_products(const CentredRows<T>& a, int threads, Team& team) {
  const CsrView<T>& csr = a.x.csr();
  const Index n = a.x.rows(), size = team.size();
  const Vector<double> divisor = divisors_of(a);
  Matrix<double> out;
  agree(team, [&] {
    out.setZero(n, n);
    parallel_for((n - team.rank() + size - 1) / size, threads, [&](Index at) {
      const Index i = team.rank() + at * size;
      const Vector<double> row = dense_row(csr, i, divisor);
      for (Index j = i; j < n; ++j) {
        double sum = 0;
        for (auto e = csr.offsets[j]; e < csr.offsets[j + 1]; ++e)
          sum += row[csr.columns[e]] * static_cast<double>(csr.values[e]) / divisor[csr.columns[e]];
        out(i, j) = sum;
      }
    });
  });
  if (team.rank() != 0) {
    Numbers numbers;
    for (Index i = team.rank(); i < n; i += size)
      numbers.insert(numbers.end(), out.row(i).data() + i, out.row(i).data() + n);
    send_numbers(team, 0, numbers);
    return {};
  }
  for (int rank = 1; rank < team.size(); ++rank) {
    const Numbers numbers = receive_numbers(team, rank);
    const double* from = numbers.data();
    for (Index i = rank; i < n; i += size) {
      std::copy_n(from, n - i, out.row(i).data() + i);
      from += n - i;
    }
  }
  return out;
}

/// Roundings of a sum over strips of so many columns.
double depth_of(Index d, Index width) {
  return static_cast<double>(std::min(d, width) + (d + width - 1) / width + 64);
}

using ProductsOf = std::function<Matrix<double>(RowProducts)>;

template <class T>
Gram dense_gram(const CentredRows<T>& a, const ProductsOf& products_of) {
  const Index d = a.x.cols();
  if constexpr (std::is_same_v<T, double>) {
    if (as_they_lie(a) && a.x.rows() <= raw_rows) {
      Gram g = centred_gram(products_of(RowProducts::in_place), depth_of(d, slab_columns),
                            a.centred, unit_weights(a));
      if (!a.centred || g.squares.sum() <= raw_cancellation_limit * g.products.trace()) return g;
    }
  }
  return centred_gram(products_of(RowProducts::centred), depth_of(d, strip_columns), a.centred,
                      unit_weights(a));
}

/// x_i·x_j − x_i·m − x_j·m + m·m over the entries only, with columns divided by s.
template <class T>
Gram sparse_gram(const CentredRows<T>& a, const ProductsOf& products_of) {
  const CsrView<T>& csr = a.x.csr();
  const Index n = a.x.rows(), d = a.x.cols();
  const Vector<double> divisor = divisors_of(a);
  const Vector<double> mean = a.mean.cwiseQuotient(divisor);
  const double mean_square = mean.squaredNorm();

  Gram g;
  g.products = products_of(RowProducts::sparse);
  Matrix<double>& out = g.products;
  g.squares.resize(n);
  Vector<double> along_mean(n);
  for (Index i = 0; i < n; ++i) along_mean[i] = dense_row(csr, i, divisor).dot(mean);
  const Vector<double> raw = out.diagonal();
  const auto weight = [&](Index i) { return a.weights ? a.weights[i] : 1.0; };
  for (Index i = 0; i < n; ++i) {
    // |x_i·x_j| + |x_i·m| + |x_j·m| + m·m ≤ (‖x_i‖ + ‖m‖)(‖x_j‖ + ‖m‖)
    g.squares[i] = weight(i) * 2 * (raw[i] + mean_square);
    for (Index j = i; j < n; ++j) {
      const double root = a.weights ? std::sqrt(weight(i)) * std::sqrt(weight(j)) : 1.0;
      out(i, j) =
          root == 0 ? 0.0 : root * (out(i, j) - along_mean[i] - along_mean[j] + mean_square);
    }
  }
  g.depth = static_cast<double>(d);
  if (!a.centred) return g;
  g.norm = norm_of_upper(out);
  centre_products(out, unit_weights(a));
  return g;
}

}  // namespace

template <class T>
Matrix<double> row_products(const CentredRows<T>& a, RowProducts how, int threads,
                            const Monitor& monitor, Team& team) {
  if (how == RowProducts::sparse) return sparse_products(a, threads, team);
  if constexpr (std::is_same_v<T, double>)
    if (how == RowProducts::in_place) return products_in_place(a.x, threads, monitor, team);
  return centred_products(a, threads, monitor, team);
}

template <class T>
Gram gram(const CentredRows<T>& a, const ProductsOf& products_of) {
  if (a.x.sparse() && a.missing.size() == 0) {
    Gram out = sparse_gram(a, products_of);
    // Where nothing is left, the trace may be anything near 0, negative too.
    if (out.squares.sum() < cancellation_limit * out.products.trace()) return out;
  }
  return dense_gram(a, products_of);
}

template <class T>
Gram gram(const CentredRows<T>& a, int threads, const Monitor& monitor) {
  return gram(
      a, [&](RowProducts how) { return row_products(a, how, threads, monitor, Team::alone()); });
}

template <class T>
Matrix<double> combine(const Matrix<double>& b, const CentredRows<T>& a, int threads, Team& team) {
  const Index n = a.x.rows(), d = a.x.cols(), k = b.rows();
  const auto columns_of = [&](int rank) {
    const SegmentRange strips = segments_of(strip_total(d), rank, team.size());
    const Index first = strips.first * strip_columns;
    return Strip{first, std::min(d, strips.end * strip_columns) - first};
  };
  const Strip mine = columns_of(team.rank());
  Matrix<double> out;
  agree(team, [&] {
    out.resize(k, team.rank() == 0 ? d : mine.count);
    const BlasThreads one(1);
    parallel_for(strip_total(mine.count), n * d * k < 1000000 ? 1 : threads, [&](Index i) {
      const Strip strip = strip_at(mine.first / strip_columns + i, d);
      Matrix<double> room(n, strip.count);
      fill(a, strip, room.data());
      multiply(b.data(), k, n, n, room.data(), strip.count, strip.count,
               out.data() + strip.first - mine.first, out.cols());
    });
  });
  if (team.rank() != 0) {
    send_all(team, 0, out.data(), sizeof(double) * static_cast<std::size_t>(out.size()));
    return {};
  }
  for (int rank = 1; rank < team.size(); ++rank) {
    const Strip theirs = columns_of(rank);
    Matrix<double> part(k, theirs.count);
    receive_all(team, rank, part.data(), sizeof(double) * static_cast<std::size_t>(part.size()));
    out.middleCols(theirs.first, theirs.count) = part;
  }
  return out;
}

template <class T>
Matrix<double> dense(const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols();
  Matrix<double> out(n, d);
  advise_huge_pages(out.data(), sizeof(double) * out.size());
  parallel_ranges(n, threads, std::max<Index>(1, 100000 / d), [&](Index begin, Index end, int) {
    CentredRows<T> part = a;
    part.x = a.x.middle(begin, end - begin);
    if (a.weights) part.weights = a.weights + begin;
    fill(part, {0, d}, out.row(begin).data());
  });
  if (!a.centred) return out;
  const Vector<double> u = unit_weights(a);
  parallel_for(strip_total(d), n * d < 200000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    auto part = out.middleCols(strip.first, strip.count);
    const Eigen::RowVectorXd left = u.transpose() * part;
    part.noalias() -= u * left;
  });
  return out;
}

template <class T>
ColumnScatter column_scatter(const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols();
  CentredRows<T> unscaled = a;
  unscaled.scale.resize(0);
  const Vector<double> u = unit_weights(a);
  const double weight =
      a.weights ? Eigen::Map<const Vector<double>>(a.weights, n).sum() : static_cast<double>(n);
  ColumnScatter out{Vector<double>(d), Vector<double>::Zero(d)};
  parallel_for(strip_total(d), n * d < 200000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    Matrix<double> room(n, strip.count);
    fill(unscaled, strip, room.data());
    if (a.centred) {
      const Eigen::RowVectorXd left = u.transpose() * room;
      room.noalias() -= u * left;
      out.offset.segment(strip.first, strip.count) = left.transpose() / std::sqrt(weight);
    }
    out.scatter.segment(strip.first, strip.count) = room.colwise().squaredNorm().transpose();
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template Matrix<double> row_products(const CentredRows<T>&, RowProducts, int, const Monitor&, \
                                       Team&);                                                  \
  template Gram gram(const CentredRows<T>&, const ProductsOf&);                                 \
  template Gram gram(const CentredRows<T>&, int, const Monitor&);                               \
  template Matrix<double> combine(const Matrix<double>&, const CentredRows<T>&, int, Team&);    \
  template Matrix<double> dense(const CentredRows<T>&, int);                                    \
  template ColumnScatter column_scatter(const CentredRows<T>&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
