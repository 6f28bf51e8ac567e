#include "pictures/contour_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace mercer {

namespace {

/// The crossings of one level with the edges of the grid, and which of them are joined.
/// Edge 2p goes from node p to the right, edge 2p+1 down.
class Crossings {
 public:
  Crossings(const Matrix<double>& values, double level)
      : v_(values), level_(level), joined_(static_cast<std::size_t>(2 * values.size()), {-1, -1}) {
    for (Index i = 0; i + 1 < v_.rows(); ++i)
      for (Index j = 0; j + 1 < v_.cols(); ++j) cell(i, j);
  }

  /// Open lines first, each from an end; what is left are rings.
  std::vector<Polyline> lines() {
    std::vector<Polyline> out;
    for (const bool ends : {true, false})
      for (Index e = 0; e < static_cast<Index>(joined_.size()); ++e) {
        const auto& next = at(e);
        if (next[0] >= 0 && (!ends || next[1] < 0)) out.push_back(follow(e));
      }
    return out;
  }

 private:
  using Pair = std::array<Index, 2>;
  Pair& at(Index edge) { return joined_[static_cast<std::size_t>(edge)]; }
  bool above(Index i, Index j) const { return v_(i, j) >= level_; }

  void join(Index a, Index b) {
    at(a)[at(a)[0] < 0 ? 0 : 1] = b;
    at(b)[at(b)[0] < 0 ? 0 : 1] = a;
  }

  void cell(Index i, Index j) {
    const Index top = 2 * (i * v_.cols() + j), left = top + 1, right = left + 2;
    const Index bottom = top + 2 * v_.cols();
    const bool a = above(i, j), b = above(i, j + 1), c = above(i + 1, j + 1), d = above(i + 1, j);
    if (a == c && b == d && a != b) {  // a saddle: the middle belongs to one of the two pairs
      const double middle = (v_(i, j) + v_(i, j + 1) + v_(i + 1, j) + v_(i + 1, j + 1)) / 4;
      const bool with_a = (middle >= level_) == a;
      join(top, with_a ? right : left);
      join(bottom, with_a ? left : right);
      return;
    }
    Index crossed[4];
    int count = 0;
    if (a != b) crossed[count++] = top;
    if (b != c) crossed[count++] = right;
    if (c != d) crossed[count++] = bottom;
    if (d != a) crossed[count++] = left;
    if (count == 2) join(crossed[0], crossed[1]);
  }

  PlanePoint place(Index edge) const {
    const Index node = edge / 2, i = node / v_.cols(), j = node % v_.cols();
    const bool down = edge % 2 != 0;
    const double from = v_(i, j), to = down ? v_(i + 1, j) : v_(i, j + 1);
    double t = (level_ - from) / (to - from);
    if (!std::isfinite(from))
      t = 1;  // outside of the grid: the edge of the region is its inner end
    else if (!std::isfinite(to)) t = 0;
    const auto x = static_cast<double>(j), y = static_cast<double>(i);
    return down ? PlanePoint{x, y + t} : PlanePoint{x + t, y};
  }

  Polyline follow(Index edge) {
    Polyline line;
    const Index start = edge;
    const bool ring = at(edge)[1] >= 0;
    while (edge >= 0) {
      const PlanePoint here = place(edge);
      if (line.empty() || !(line.back() == here)) line.push_back(here);
      const Index next = at(edge)[0] >= 0 ? at(edge)[0] : at(edge)[1];
      at(edge) = {-1, -1};
      if (next >= 0)  // not back the way we came
        for (Index& back : at(next))
          if (back == edge) {
            back = -1;
            break;
          }
      edge = next;
    }
    if (ring && !(line.back() == line.front())) line.push_back(place(start));
    return line;
  }

  const Matrix<double>& v_;
  double level_;
  std::vector<Pair> joined_;  // the neighbours of each crossing; −1: none
};

double distance(const PlanePoint& p, const PlanePoint& a, const PlanePoint& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double t =
      length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

}  // namespace

std::vector<Polyline> level_lines(const Matrix<double>& values, double level) {
  return Crossings(values, level).lines();
}

std::vector<Polyline> region_above(const Matrix<double>& values, double level) {
  Matrix<double> wider = Matrix<double>::Constant(values.rows() + 2, values.cols() + 2,
                                                  -std::numeric_limits<double>::infinity());
  wider.block(1, 1, values.rows(), values.cols()) = values;
  std::vector<Polyline> lines = level_lines(wider, level);
  for (Polyline& line : lines)
    for (PlanePoint& p : line) p = {p.x - 1, p.y - 1};
  return lines;
}

Polyline simplified(const Polyline& line, double tolerance) {
  if (line.size() < 3) return line;
  std::vector<bool> kept(line.size(), false);
  kept.front() = kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open = {{0, line.size() - 1}};
  while (!open.empty()) {
    const std::pair<std::size_t, std::size_t> piece = open.back();
    open.pop_back();
    double furthest = tolerance;
    std::size_t where = 0;
    for (std::size_t i = piece.first + 1; i < piece.second; ++i)
      if (const double d = distance(line[i], line[piece.first], line[piece.second]); d > furthest) {
        furthest = d;
        where = i;
      }
    if (where == 0) continue;
    kept[where] = true;
    open.push_back({piece.first, where});
    open.push_back({where, piece.second});
  }
  Polyline out;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (kept[i]) out.push_back(line[i]);
  return out;
}

}  // namespace mercer
