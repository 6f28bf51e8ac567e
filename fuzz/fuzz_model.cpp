// A model file is refused with an Error, or it is a model: it works, and it saves to bytes that
// load to the same bytes again.
//
// An input that begins with '{' is the JSON of a header, a zero byte and the arrays: its length and
// checksum are put right first, as no chance change would get past them.

#include "sealed.hpp"

#include <mercer/error.hpp>
#include <mercer/model.hpp>
#include <mercer/preimage.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace mercer;

template <class T>
void check(const std::string& bytes) {
  try {
    const auto model = Model<T>::deserialize(bytes);
    const std::string saved = model.serialize();
    if (saved != Model<T>::deserialize(saved).serialize()) {
      std::fprintf(stderr, "broken: a saved model loads to itself\n");
      std::abort();
    }
    to_json(model);
    const Matrix<T> x = Matrix<T>::Ones(2, model.inputs());
    const Matrix<T> scores = model.transform(x, {.threads = 1});
    if (model.map().is_identity()) model.inverse(scores, {.threads = 1});
    const Decoder<T> decoder(model, {.rows = 50, .iterations = 10, .threads = 1});
    decoder(scores);
  } catch (const Error&) {
    // refused, as it may be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) bytes = sealed(bytes);
  check<double>(bytes);
  check<float>(bytes);
  return 0;
}
