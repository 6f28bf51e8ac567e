#pragma once
// Reads CSV text through a real file, and says what went wrong.

#include "support/temp_dir.hpp"

#include <mercer/data.hpp>
#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer::test {

template <class T = double>
Table<T> read_text(std::string_view text, const ReadOptions& options = {},
                   std::string_view name = "t.csv") {
  const TempDir folder;
  return read<T>(folder.file(name, text), options);
}

struct Refusal {
  std::string message;  ///< the folder's name taken out
  Errc code;
};

/// What reading `text` throws; the empty message when it does not.
template <class T = double>
Refusal refusal(std::string_view text, const ReadOptions& options = {},
                std::string_view name = "t.csv") {
  const TempDir folder;
  try {
    read<T>(folder.file(name, text), options);
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string prefix = folder.path() + "/";
    for (std::size_t at; (at = message.find(prefix)) != message.npos;)
      message.erase(at, prefix.size());
    return {message, error.code()};
  }
  return {"", Errc::io};
}

inline std::vector<std::string> strings(const TextColumn& column) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < column.size(); ++i) all.emplace_back(column[i]);
  return all;
}

template <class T = double>
Matrix<T> matrix(std::initializer_list<std::initializer_list<std::type_identity_t<T>>> rows) {
  Matrix<T> m(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const T value : row) m(i, j++) = value;
    ++i;
  }
  return m;
}

}  // namespace mercer::test
