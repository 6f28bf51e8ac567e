#pragma once
// A model into a file that is published later, together with others.

#include "core/output_file.hpp"
#include "model/codec.hpp"

namespace mercer::cli {

/// Array by array: a second copy of the components may be more than the memory allows.
template <class T>
void write_model(OutputFile& file, const Model<T>& model) {
  const Encoded encoded = encode(model.parts());
  file.write(encoded.header);
  for (const std::string_view array : encoded.arrays) file.write(array);
}

}  // namespace mercer::cli
