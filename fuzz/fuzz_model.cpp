// A model file is refused with an Error, or it is a model: it works, and it saves to bytes that
// load to the same bytes again.

#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

template <class T>
void check(std::string_view bytes) {
  try {
    const auto model = mercer::Model<T>::deserialize(bytes);
    const std::string saved = model.serialize();
    const std::string again = mercer::Model<T>::deserialize(saved).serialize();
    if (saved != again) {
      std::fprintf(stderr, "broken: a saved model loads to itself\n");
      std::abort();
    }
    mercer::to_json(model);
    const mercer::Matrix<T> x = mercer::Matrix<T>::Ones(2, model.inputs());
    model.inverse(model.transform(x, 1), 1);
  } catch (const mercer::Error&) {
    // refused, as it may be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check<double>(bytes);
  check<float>(bytes);
  return 0;
}
