#pragma once
// One template in a node instead of a function for float and one for double.

#include "kernels/node.hpp"

namespace mercer {

/// `Node` has run<T>(Evaluation<T>&, const TileView<T>&) and diagonal_of<T>(const Rows<T>&).
template <class Node>
class NodeOf : public KernelNode {
 public:
  void evaluate(Evaluation<float>& tile, const TileView<float>& out) const final {
    self().template run<float>(tile, out);
  }
  void evaluate(Evaluation<double>& tile, const TileView<double>& out) const final {
    self().template run<double>(tile, out);
  }
  Vector<float> diagonal(const Rows<float>& x) const final {
    return self().template diagonal_of<float>(x);
  }
  Vector<double> diagonal(const Rows<double>& x) const final {
    return self().template diagonal_of<double>(x);
  }

 private:
  const Node& self() const { return static_cast<const Node&>(*this); }
};

}  // namespace mercer
