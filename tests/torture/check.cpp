#include "torture/check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace mercer::torture {

namespace {

/// Against the truth.
std::string wrong_numbers(const Problem& p, const Method& method, const Answer& a,
                          const Truth& truth) {
  const double first = truth.eigenvalues.front();
  const double allowed = p.tolerance() * first + 4 * truth.error +
                         (method.of_models ? static_cast<double>(p.x.cols()) * a.rounding : 0);
  double sum = 0;
  for (std::size_t j = 0; j < a.eigenvalues.size(); ++j) {
    const double is = a.eigenvalues[j];
    const double should = j < truth.eigenvalues.size() ? truth.eigenvalues[j] : 0;
    sum += is;
    if (!std::isfinite(is)) return fmt::format("eigenvalue {} is {}", j + 1, is);
    if (method.exact && std::abs(is - should) > allowed)
      return fmt::format("eigenvalue {} is {}, the truth is {} (first {})", j + 1, is, should,
                         first);
    if (a.low.empty() || a.confidence < 0.9999) continue;
    if (should < a.low[j] - truth.error || should > a.high[j] + truth.error)
      return fmt::format("interval {} is [{}, {}] around {}, the truth is {}", j + 1, a.low[j],
                         a.high[j], is, should);
  }
  if (a.low.empty()) return "there are no intervals";
  const double total_allowed = allowed + (method.exact ? 0 : a.above + allowed);
  if (!method.own_total && std::abs(a.total - truth.trace) > total_allowed)
    return fmt::format("the total is {}, the truth is {}", a.total, truth.trace);
  double certain = 0;  // what all of them have at least
  for (const double low : a.low) certain += low;
  if (std::min(certain, sum) > a.total * (1 + 1e-12) + a.rounding)
    return fmt::format("the eigenvalues add up to {} of a total of {}", sum, a.total);
  if (p.components.kind() == Components::Kind::fraction && method.exact &&
      sum < p.components.fraction() * a.total * (1 - 1e-9))
    return fmt::format("{} of {} were kept, {} were asked for", sum, a.total,
                       p.components.fraction());
  return {};
}

/// Scores of the rows: their squares along the first component are its eigenvalue, and the second
/// is orthogonal to it. A mean and kernel values are stored to ε of their size.
std::string wrong_scores(const Problem& p, const Answer& a, const Truth& truth) {
  const double eps = p.single ? 0x1p-23 : 0x1p-52;
  const double first = a.eigenvalues[0];
  // Off by these, scores of a component with this eigenvalue.
  const auto lost_along = [&](double eigenvalue) {
    return 64 * eps * std::sqrt(truth.size) * (p.kernel ? truth.size / eigenvalue : 1.0);
  };
  const double lost = lost_along(first);
  const double allowed =
      std::sqrt(p.tolerance()) * first + 2 * std::sqrt(first) * lost + lost * lost;
  if (!(std::abs(a.first_squares - first) <= allowed))
    return fmt::format("squares of the first scores add up to {}, the eigenvalue is {}",
                       a.first_squares, first);
  if (a.eigenvalues.size() < 2) return {};
  const double second = a.eigenvalues[1], lost_second = lost_along(second);
  const double allowed_product = std::sqrt(p.tolerance()) * first + std::sqrt(second) * lost +
                                 (std::sqrt(first) + lost) * lost_second;
  if (!(std::abs(a.first_with_second) <= allowed_product))
    return fmt::format("the first two scores have the product {}, squares {}", a.first_with_second,
                       first);
  return {};
}

/// Whether those of a weight above 0 are.
bool rows_equal(const Problem& p) {
  Index first = -1;
  for (Index i = 0; i < p.x.rows(); ++i) {
    if (!p.weights.empty() && p.weights[static_cast<std::size_t>(i)] == 0) continue;
    if (first < 0) first = i;
    if (p.x.row(i) != p.x.row(first)) return false;
  }
  return true;
}

/// May this message stand in for an answer?
bool may_refuse(const Problem& p, const Method& method, const Truth& truth,
                const std::string& message) {
  const auto says = [&](const char* text) { return message.find(text) != std::string::npos; };
  // Equal are rows that differ in nothing, or to a kernel in nothing but the oracle's own error.
  if (says("all rows are equal, ")) return rows_equal(p);
  if (says("equal under this kernel")) return truth.trace <= 1e-16 * truth.size + truth.error;
  // Kernel values are rounded, and landmarks solve with them.
  const double eps = p.single ? 1e-5 : !p.kernel ? 1e-14 : method.exact ? 1e-12 : 1e-10;
  // All variance is within the rounding of the numbers themselves.
  if (says("no variance") || says("equal up to rounding")) return truth.trace <= eps * truth.size;
  return true;
}

/// The bound on rounding just exceeds the tolerance, as it may for one of two equivalent problems.
bool nearly_answered(const Problem& p, const Answer& a) {
  const std::string before = "uncertain by ";
  const auto at = a.refusal.find(before);
  return at != std::string::npos &&
         std::stod(a.refusal.substr(at + before.size())) <= 10 * p.tolerance();
}

Answer run(const Method& method, const Problem& p, int threads = 1) {
  return method.run(p, threads);
}

bool near(const Problem& p, const Answer& a, const Answer& b, std::size_t count,
          double factor = 1) {
  if (a.eigenvalues.empty() || b.eigenvalues.empty()) return true;
  const double allowed = 2 * p.tolerance() * a.eigenvalues[0];
  for (std::size_t j = 0; j < std::min({count, a.eigenvalues.size(), b.eigenvalues.size()}); ++j)
    if (std::abs(a.eigenvalues[j] - factor * b.eigenvalues[j]) > allowed) return false;
  return true;
}

/// Pairs of problems that must have one answer. `p` was answered by `a`.
std::string wrong_pair(const Problem& p, const Method& method, const Answer& a) {
  const auto differs = [&](const char* what, const Problem& other) -> std::string {
    const Answer b = run(method, other);
    if (nearly_answered(p, b)) return {};
    if (b.refused()) return fmt::format("{}: refused ({}), and answered without", what, b.refusal);
    if (near(p, a, b, 1000)) return {};
    return fmt::format("{}: {} becomes {}", what, a.eigenvalues[0], b.eigenvalues[0]);
  };
  const bool shiftless = !p.kernel || p.kernel->shape == KernelSpec::Shape::rbf ||
                         p.kernel->shape == KernelSpec::Shape::laplacian;
  switch (p.seed % 7) {
    case 0: {  // weight 0 = row absent
      Problem other = p;
      if (other.weights.empty()) other.weights.assign(static_cast<std::size_t>(p.x.rows()), 1.0);
      other.weights.push_back(0);
      other.x.conservativeResize(p.x.rows() + 1, Eigen::NoChange);
      other.x.row(p.x.rows()).setConstant(p.single ? 1e6 : 1e9);
      return differs("a row of weight 0", other);
    }
    case 1: {  // weight 2 = row twice
      Problem other = p, twice = p;
      if (other.weights.empty()) other.weights.assign(static_cast<std::size_t>(p.x.rows()), 1.0);
      twice.weights = other.weights;
      twice.weights.push_back(other.weights[0]);
      other.weights[0] *= 2;
      twice.x.conservativeResize(p.x.rows() + 1, Eigen::NoChange);
      twice.x.row(p.x.rows()) = p.x.row(0);
      const Answer b = run(method, other), c = run(method, twice);
      if (nearly_answered(p, b) || nearly_answered(p, c)) return {};
      if (b.refused() != c.refused())
        return fmt::format("weight 2: {}{}, twice: {}", b.refused() ? "" : "answered", b.refusal,
                           c.refusal);
      return near(p, b, c, 1000) ? std::string() : "weight 2 is not the row twice";
    }
    case 2: {  // rows in another order
      Problem other = p;
      other.x = p.x.colwise().reverse().eval();
      std::reverse(other.weights.begin(), other.weights.end());
      return differs("rows in reverse", other);
    }
    case 3: {  // columns in another order
      Problem other = p;
      other.x = p.x.rowwise().reverse().eval();
      return differs("columns in reverse", other);
    }
    case 4: {  // a constant column more
      if (!shiftless || !p.center) return {};
      Problem other = p;
      other.x.conservativeResize(Eigen::NoChange, p.x.cols() + 1);
      other.x.col(p.x.cols()).setConstant(7);
      // Sparse rows keep their mean: x·y beside a small variance has to be refused.
      if (p.kernel && p.kernel->linear_part != 0 && method.name == "kernel sparse")
        if (run(method, other).refused()) return {};
      return differs("a constant column", other);
    }
    case 5: {  // fewer components
      Problem other = p;
      other.components = at_most(1);
      const Answer b = run(method, other);
      if (b.refused()) return fmt::format("-k 1: refused ({})", b.refusal);
      return near(p, a, b, 1) ? std::string() : "-k 1 is not the first of more";
    }
    default: {  // times a power of two
      if (p.kernel && p.kernel->shape != KernelSpec::Shape::linear) return {};
      if (p.kernel && p.kernel->linear_part != 0) return {};
      Problem other = p;
      other.x *= 1024;
      if (!other.x.allFinite() || (p.single && other.x.cwiseAbs().maxCoeff() > 1e30)) return {};
      const Answer b = run(method, other);
      if (b.refused()) return fmt::format("times 1024: refused ({})", b.refusal);
      return near(p, a, b, 1000, 0x1p-20) ? std::string() : "times 1024: other eigenvalues";
    }
  }
}

}  // namespace

Verdict examine(const Problem& p) {
  Verdict verdict;
  const Truth truth = truth_of(p);
  // What double cannot hold may be refused by anybody.
  const bool representable =
      truth.trace < 1e290 && (truth.trace > 1e-290 || truth.trace == 0) && truth.size < 1e290;
  if (!representable) return verdict;
  const Method* answered = nullptr;
  Answer in_memory;  // by the method that streams take too
  std::vector<const Method*> automatic_refusals;
  for (const Method& method : methods()) {
    if (method.kernel != p.kernel.has_value()) continue;
    // Bounds of landmarks are made of squares, which such numbers do not have.
    if (!method.exact && !(truth.size > 1e-140 && truth.size < 1e140)) continue;
    const auto blame = [&](std::string what) {
      verdict.wrong = std::move(what);
      verdict.method = method.name;
      return verdict;
    };
    const Answer a = run(method, p);
    if (a.refused()) {
      verdict.refusals.emplace_back(method.name, a.refusal);
      if (!may_refuse(p, method, truth, a.refusal))
        return blame(fmt::format("refused ({}), total {} of rows of size {}", a.refusal,
                                 truth.trace, truth.size));
      // Variance that the rounding of the numbers themselves explains is for each to judge.
      if (method.automatic && truth.trace > (p.single ? 1e-5 : 1e-12) * truth.size)
        automatic_refusals.push_back(&method);
      continue;
    }
    ++verdict.answers;
    if (method.exact && method.name != "kernel sparse") answered = &method;
    if (auto what = wrong_numbers(p, method, a, truth); !what.empty()) return blame(what);
    if (method.exact)
      if (auto what = wrong_scores(p, a, truth); !what.empty()) return blame(what);
    const int threads = 2 + static_cast<int>(p.seed % 15);
    if (run(method, p, threads).bytes != a.bytes)
      return blame(fmt::format("other bytes with {} threads", threads));
    if (method.name == "covariance") in_memory = a;
    if (method.name == "stream" && !in_memory.refused() && !in_memory.eigenvalues.empty() &&
        (a.eigenvalues != in_memory.eigenvalues || a.high != in_memory.high))
      return blame("other bits than in memory");
    // Landmarks are drawn: other rows, other landmarks, another answer within its interval.
    if (method.exact && !method.of_models && (method.automatic || p.seed % 5 == 0))
      if (auto what = wrong_pair(p, method, a); !what.empty()) return blame(what);
  }
  if (answered && !automatic_refusals.empty()) {
    verdict.method = automatic_refusals.front()->name;
    verdict.wrong = fmt::format("refused what {} answers ({})", answered->name,
                                verdict.refusals.front().second);
  }
  return verdict;
}

Problem shrunk(Problem p) {
  const std::string method = examine(p).method;
  const auto still_wrong = [&](const Problem& q) {
    const Verdict v = examine(q);
    return !v.wrong.empty() && v.method == method;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (Index i = p.x.rows() - 1; i >= 0 && p.x.rows() > 2; --i) {
      Problem q = p;
      q.x.resize(p.x.rows() - 1, p.x.cols());
      q.x << p.x.topRows(i), p.x.bottomRows(p.x.rows() - 1 - i);
      if (!q.weights.empty()) q.weights.erase(q.weights.begin() + i);
      if (still_wrong(q)) p = q, smaller = true;
    }
    for (Index j = p.x.cols() - 1; j >= 0 && p.x.cols() > 1; --j) {
      Problem q = p;
      q.x.resize(p.x.rows(), p.x.cols() - 1);
      q.x << p.x.leftCols(j), p.x.rightCols(p.x.cols() - 1 - j);
      if (still_wrong(q)) p = q, smaller = true;
    }
    if (!p.weights.empty()) {
      Problem q = p;
      q.weights.clear();
      if (still_wrong(q)) p = q, smaller = true;
    }
  }
  return p;
}

}  // namespace mercer::torture
