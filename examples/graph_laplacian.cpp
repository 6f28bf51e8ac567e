// The smallest eigenpairs of a user-defined matrix: the Laplacian of a sparse graph of two
// communities, which its second eigenvector separates (Fiedler 1973).

#include <mercer/eigs.hpp>

#include <cmath>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

/// L = D − A: (Lv)_i = Σ_j (v_i − v_j) over the neighbours j of i. No matrix is stored.
struct Laplacian {
  mercer::Index nodes = 0;
  std::vector<std::pair<mercer::Index, mercer::Index>> edges{};

  mercer::Index size() const { return nodes; }
  void apply(const mercer::Matrix<double>& v, mercer::Matrix<double>& out) const {
    out.setZero();
    for (const auto& [i, j] : edges) {
      const auto difference = (v.row(i) - v.row(j)).eval();  // of all vectors at once
      out.row(i) += difference;
      out.row(j) -= difference;
    }
  }
};

int main() {
  constexpr mercer::Index n = 400;
  Laplacian graph{n};
  std::mt19937 random(1);
  for (mercer::Index i = 0; i < n; ++i)
    for (mercer::Index j = 0; j < i; ++j) {
      const bool same = (i < n / 2) == (j < n / 2);
      if (random() % 1000 < (same ? 50u : 2u)) graph.edges.emplace_back(i, j);
    }

  const mercer::Eigs found = mercer::eigs(graph, 3, {.smallest = true, .tolerance = 1e-8});
  std::cout << "eigenvalues " << found.values.transpose() << " in " << found.passes
            << " passes, residuals up to " << found.residuals.maxCoeff() << '\n';

  mercer::Index right = 0;
  for (mercer::Index i = 0; i < n; ++i)
    right += (found.vectors(i, 1) > 0) == (found.vectors(0, 1) > 0) ? i < n / 2 : i >= n / 2;
  std::cout << right << " of " << n << " nodes are on the side of their community\n";
  // A graph in one piece has the eigenvalue 0 once.
  const bool connected = std::abs(found.values[0]) < 1e-6 && found.values[1] > 1e-3;
  return connected && 100 * right > 95 * n ? 0 : 1;
}
