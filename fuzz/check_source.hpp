#pragma once
// What must hold for every source, whatever bytes it reads:
//   only mercer::Error escapes; rows have the schema's width; numbers are finite, or NaN where that
//   was asked for and counted; sparse columns ascend; small blocks, other threads and another way
//   to get at the same bytes give the same rows, or are refused too.

#include "support/memory_bytes.hpp"

#include <mercer/data.hpp>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace mercer::fuzz {

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

/// The options that the first bytes of an input stand for. Digits make readable seeds.
struct Choices {
  ReadOptions options;
  bool single = false;  ///< float, not double
  std::string rest;     ///< the input proper

  Choices(const unsigned char* data, std::size_t size) {
    constexpr std::size_t used = 4;
    unsigned choice[used] = {};
    for (std::size_t i = 0; i < used && i < size; ++i) choice[i] = data[i] & 15u;
    if (size > used) rest.assign(reinterpret_cast<const char*>(data) + used, size - used);
    single = choice[0] % 2 == 1;
    options.missing = static_cast<Missing>(choice[0] / 2 % 3);
    options.header = static_cast<Header>(choice[1] % 3);
    options.delimiter = "\0,;\t |"[choice[1] / 3];
    switch (choice[2]) {
      case 1:
        options.columns = "1";
        break;
      case 2:
        options.columns = "2-3,a";
        break;
      case 3:
        options.exclude = "1";
        break;
      case 4:
        options.label = "1";
        break;
      case 5:
        options.id = "2";
        break;
      case 6:
        options.weights = "2";
        break;
      case 7:
        options.label = "a", options.id = "1", options.weights = "3";
        break;
      case 8:
        options.exclude = "b,1", options.label = "2";
        break;
      default:
        break;
    }
    small_block = std::size_t{1} << choice[3];
    threads = choice[0] < 12 ? 1 : 2;
  }

  std::size_t small_block = 1;  ///< for the second reading
  int threads = 1;              ///< for the second reading; starting one costs as much as all else
};

/// Everything a source gave.
template <class T>
struct Reading {
  Schema schema;
  Index rows = 0;
  std::vector<T> values;                // dense cells, or sparse values
  std::vector<std::int64_t> structure;  // of sparse rows: length, then columns
  std::vector<double> weights;
  std::vector<std::string> texts;
  Index dropped = 0, missing = 0;
};

template <class T>
void add(Reading<T>& all, const Block<T>& block) {
  const Rows<T>& rows = block.rows;
  must(rows.rows() > 0, "blocks are not empty");
  must(rows.cols() == all.schema.features, "rows have the schema's width");
  must(rows.sparse() == all.schema.sparse, "sparse as the schema says");
  must((!block.weights.empty()) == all.schema.weighted, "weights as the schema says");
  must((block.labels != nullptr) == !all.schema.label.empty(), "labels as the schema says");
  must((block.ids != nullptr) == !all.schema.id.empty(), "ids as the schema says");
  for (Index r = 0; r < rows.rows(); ++r) {
    if (rows.sparse()) {
      std::int64_t last = -1;
      all.structure.push_back(rows.csr().offsets[r + 1] - rows.csr().offsets[r]);
      for (std::int64_t i = rows.csr().offsets[r]; i < rows.csr().offsets[r + 1]; ++i) {
        must(rows.csr().columns[i] > last, "columns ascend");
        last = rows.csr().columns[i];
        all.structure.push_back(last);
        all.values.push_back(rows.csr().values[i]);
      }
      must(last < rows.cols(), "columns stay within the width");
    } else {
      all.values.insert(all.values.end(), rows.row(r), rows.row(r) + rows.cols());
    }
    const auto text = static_cast<std::size_t>(block.first_label + r);
    if (block.labels) all.texts.emplace_back((*block.labels)[text]);
    if (block.ids) all.texts.emplace_back((*block.ids)[text]);
    if (!block.weights.empty()) {
      must(std::isfinite(block.weights[static_cast<std::size_t>(r)]) &&
               block.weights[static_cast<std::size_t>(r)] >= 0,
           "weights can be used");
      all.weights.push_back(block.weights[static_cast<std::size_t>(r)]);
    }
  }
  all.rows += rows.rows();
}

/// Reads it all; nothing when it is refused.
template <class T, class Open>
std::optional<Reading<T>> reading(const Open& open, const ReadOptions& options, bool whole) {
  try {
    const std::unique_ptr<Source<T>> source = open(options);
    Reading<T> all;
    all.schema = source->schema();
    must(all.schema.features > 0, "there are features");
    must(all.schema.feature_names.empty() ||
             static_cast<Index>(all.schema.feature_names.size()) == all.schema.features,
         "as many names as features");
    std::optional<Block<T>> everything;
    if (whole) everything = source->whole();
    if (everything) add(all, *everything);
    else
      while (const auto block = source->next()) add(all, *block);
    all.dropped = source->dropped_rows();
    all.missing = source->missing_cells();
    Index nans = 0;
    for (const T value : all.values) {
      must(!std::isinf(value), "no infinity gets through");
      nans += std::isnan(value);
    }
    must(nans == all.missing, "missing cells are counted");
    must(nans == 0 || options.missing == Missing::mean, "NaN only when asked for");
    must(all.dropped == 0 || options.missing == Missing::drop, "rows go only when asked to");
    return all;
  } catch (const Error& error) {
    const std::string text = error.what();
    must(!text.empty() && text.find('\n') == text.npos, "messages are one line");
    return std::nullopt;
  }
}

template <class T>
void must_agree(const std::optional<Reading<T>>& a, const std::optional<Reading<T>>& b) {
  must(a.has_value() == b.has_value(), "both readings are refused, or none");
  if (!a) return;
  const auto bits = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  must(a->schema.features == b->schema.features, "same width");
  must(a->schema.feature_names == b->schema.feature_names, "same names");
  must(a->rows == b->rows && a->dropped == b->dropped, "same number of rows");
  must(std::equal(a->values.begin(), a->values.end(), b->values.begin(), b->values.end(), bits),
       "same numbers");
  must(a->structure == b->structure, "same sparse places");
  must(a->weights == b->weights && a->texts == b->texts, "same weights and texts");
}

/// Reads the same bytes in different ways. `open`: (bytes, options) → source.
template <class T, class Open>
void check_source(const Choices& choices, const Open& open) {
  using As = test::MemoryBytes::As;
  const auto from = [&](As as) {
    return [&open, &choices, as](const ReadOptions& options) {
      return open(test::memory_bytes(choices.rest, as), options);
    };
  };
  ReadOptions large = choices.options;
  large.threads = 1;
  large.block_bytes = 1 << 16;  // holds every input; the sanitizer marks each byte of a buffer
  ReadOptions small = large;
  small.threads = choices.threads;
  small.block_bytes = choices.small_block;
  const auto first = reading<T>(from(As::file), large, false);
  must_agree(first, reading<T>(from(As::file), small, false));
  must_agree(first, reading<T>(from(As::pipe), small, false));
  must_agree(first, reading<T>(from(As::file), large, true));
}

}  // namespace mercer::fuzz
