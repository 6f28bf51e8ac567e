// A moment file is refused with an Error, or it is one: it merges with itself, gives a model or an
// Error, and saves to bytes that load to the same bytes again. Inputs that begin with '{' as in
// fuzz_model.cpp.

#include "sealed.hpp"

#include <mercer/error.hpp>
#include <mercer/part_moments.hpp>

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace mercer;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) bytes = sealed(bytes);
  try {
    PartMoments part = PartMoments::from_bytes(bytes);
    const std::string saved = part.to_bytes();
    if (saved != PartMoments::from_bytes(saved).to_bytes()) {
      std::fprintf(stderr, "broken: saved moments load to themselves\n");
      std::abort();
    }
    const PartMoments same = part;
    part.merge(same);
    part.model();
  } catch (const Error&) {
    // refused, as it may be
  }
  return 0;
}
