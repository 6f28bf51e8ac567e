#pragma once
// What a call complains about.

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace mercer::test {

/// The error of `call`, which has to fail; its message is one line without a full stop.
template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    EXPECT_FALSE(text.ends_with('.')) << text;
    return error;
  }
  ADD_FAILURE() << "nothing was wrong";
  return Error(Errc::io, "");
}

/// Does `text` have `part`?
inline ::testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(::mercer::test::has(text, part))

}  // namespace mercer::test
