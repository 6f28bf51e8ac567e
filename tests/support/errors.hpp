#pragma once
// What a call complains about.

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
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

/// The message of `call`, which has to fail with this code.
template <class Call>
std::string refusal(Call&& call, Errc code) {
  const Error error = error_of(call);
  EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
  return error.what();
}

/// `call` fails with this code, and every word is in its message.
template <class Call>
void expect_error(Errc code, std::initializer_list<const char*> words, Call&& call) {
  const std::string text = refusal(call, code);
  for (const char* word : words) EXPECT_TRUE(has(text, word));
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(::mercer::test::has(text, part))

}  // namespace mercer::test
