#pragma once
/// \file
/// The one exception of the library.
///
/// Every message names the thing, its value and what to do; it is one line without a
/// trailing full stop. The library never prints and never aborts.
///
///     try {
///       auto model = mercer::fit(x, {.components = 8});
///     } catch (const mercer::Error& e) {
///       std::cerr << e.what() << '\n';
///     }

#include <stdexcept>
#include <string>

namespace mercer {

/// What kind of thing went wrong.
enum class Errc {
  bad_option,     ///< an argument is outside its range, or two contradict each other
  bad_data,       ///< the rows cannot be used: missing cells, infinities, no variance, …
  bad_file,       ///< a file is damaged or is not what it claims to be
  io,             ///< the operating system refused to read or write
  not_converged,  ///< the asked accuracy was not reached
  out_of_memory,  ///< the memory budget is too small for the job
  interrupted,    ///< the caller's monitor asked to stop
};

/// The library's only exception type.
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Errc code() const noexcept { return code_; }

 private:
  Errc code_;
};

}  // namespace mercer
