#pragma once
// The columns of a model: loadings as a table or JSON, and gradients at rows.

#include "flags/memory_budget.hpp"
#include "terminal/terminal.hpp"

#include <mercer/model.hpp>

#include <string>

namespace mercer::cli {

struct ColumnFlags {
  std::string model;  // its path
  bool loadings = false, relations = false;
  std::string gradient;  // rows
  std::string matrix;    // an object of the model
  std::string component = "1";
  std::string output;
  bool json = false;
  std::string memory;
};

/// What a view of the model takes of `--memory`, and what that leaves.
MemoryBudget settled(const ModelSize& model, const ColumnFlags& flags);

/// Loadings, contributions and cos² of each column.
template <class T>
void show_loadings(const Model<T>& model, const ColumnFlags& flags);

/// The gradient of a component at rows, one column an input.
template <class T>
void write_gradient(const Model<T>& model, const ColumnFlags& flags);

}  // namespace mercer::cli
