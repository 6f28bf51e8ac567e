#pragma once
// What must be true of every answer, and of pairs of answers.

#include "torture/methods.hpp"
#include "torture/oracle.hpp"

#include <string>

namespace mercer::torture {

/// What is wrong, in a line; empty when nothing is. `refusals` gets the messages of those who did
/// not answer.
struct Verdict {
  std::string wrong;
  std::string method;
  std::vector<std::pair<std::string, std::string>> refusals;  ///< method, message
  int answers = 0;
};

Verdict examine(const Problem& problem);

/// The smallest problem that is still wrong: rows, columns and weights are taken away.
Problem shrunk(Problem problem);

}  // namespace mercer::torture
