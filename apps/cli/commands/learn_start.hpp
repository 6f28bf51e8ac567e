#pragma once
// --start of `mercer learn`: random, random(norm=2), numbers such as 1,0 or 1,0;0,1, or a file.

#include <mercer/hebbian.hpp>

#include <string>

namespace mercer::cli {

/// Whether the text is the path of a file: neither random nor numbers.
bool start_is_file(const std::string& text);

/// Throws `UsageError` for a text that is none of these.
void set_start(const std::string& text, LearnerOptions& learner);

}  // namespace mercer::cli
