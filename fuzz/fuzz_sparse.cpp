// MatrixMarket when the input begins like it, SVMlight otherwise.

#include "check_source.hpp"
#include "data/formats.hpp"

namespace {

template <class T>
void check(const mercer::fuzz::Choices& choices) {
  if (choices.rest.starts_with('%')) mercer::fuzz::check_source<T>(choices, mercer::open_mtx<T>);
  else mercer::fuzz::check_source<T>(choices, mercer::open_svm<T>);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const mercer::fuzz::Choices choices(data, size);
  if (choices.single) check<float>(choices);
  else check<double>(choices);
  return 0;
}
