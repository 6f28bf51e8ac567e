#pragma once
/// \file
/// The one exception of the library.
///
/// Every message names the thing, its value and what to do; it is one line without a
/// trailing full stop. Options stand in backquotes, as they are called in C++, alone or with a
/// value: `memory`, `components=25`. The library never prints and never aborts.
///
///     try {
///       auto model = mercer::fit(x, {.components = 8});
///     } catch (const mercer::Error& e) {
///       std::cerr << e.what() << '\n';
///     }

#include <stdexcept>
#include <string>
#include <utility>

namespace mercer {

/// What kind of thing went wrong.
enum class Errc {
  bad_option,      ///< an argument is outside its range, or two contradict each other
  bad_data,        ///< the rows cannot be used: missing cells, infinities, no variance, …
  invalid_kernel,  ///< the kernel is not positive semi-definite on the rows
  bad_file,        ///< a file is damaged or is not what it claims to be
  io,              ///< the operating system refused to read or write
  not_converged,   ///< the asked accuracy was not reached
  out_of_memory,   ///< the memory budget is too small for the job
  interrupted,     ///< the caller's monitor asked to stop
};

/// The library's only exception type.
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message, std::string input = {})
      : std::runtime_error(message), code_(code), input_(std::move(input)) {}
  Errc code() const noexcept { return code_; }
  /// The file or stream of rows that the message names; empty where it names none.
  const std::string& input() const noexcept { return input_; }

 private:
  Errc code_;
  std::string input_;
};

}  // namespace mercer
