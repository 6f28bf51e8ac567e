#pragma once
/// \file
/// The exception type of the library.
///
/// Every message names the object, its value and a remedy; it is one line without a trailing full
/// stop. Options are in backquotes under their C++ names, alone or with a value: `memory`,
/// `components=25`. The library never prints and never aborts.
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

/// Kind of error.
enum class Errc {
  bad_option,      ///< an argument is outside its range, or two contradict each other
  bad_data,        ///< the rows cannot be used: missing cells, infinities, no variance, …
  invalid_kernel,  ///< the kernel is not positive semi-definite on the rows
  bad_file,        ///< a file is damaged or is not what it claims to be
  io,              ///< a read or write failed
  not_converged,   ///< the requested accuracy was not reached
  out_of_memory,   ///< the memory budget is too small
  interrupted,     ///< stopped by the caller's monitor
};

/// The library's only exception type.
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message, std::string input = {})
      : std::runtime_error(message), code_(code), input_(std::move(input)) {}
  Errc code() const noexcept { return code_; }
  /// The file or stream of rows that the message names; empty if it names none.
  const std::string& input() const noexcept { return input_; }

 private:
  Errc code_;
  std::string input_;
};

}  // namespace mercer
