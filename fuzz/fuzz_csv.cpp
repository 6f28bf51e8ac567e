#include "check_source.hpp"
#include "data/formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace mercer;
  const fuzz::Choices choices(data, size);
  if (choices.single) fuzz::check_source<float>(choices, open_csv<float>);
  else fuzz::check_source<double>(choices, open_csv<double>);
  return 0;
}
