#pragma once
// Values as bytes, for another process that runs the same program.
//
//     const std::string packet = packed(lambda, segments);
//     unpack(packet, lambda, segments);                        // by reference, in the same order
//
// Numbers, text, vectors and matrices, and structs that list their members in a function
// `members(use)`, which calls `use(key, values)`.

#include <mercer/matrix.hpp>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

namespace packing {

template <class X>
constexpr bool plain = std::is_trivially_copyable_v<X>;

/// Of a vector, as bytes.
template <class X>
constexpr bool in_a_row = plain<X> && !std::is_same_v<X, bool>;

template <class X>
concept HasMembers = requires(X x) {
  x.members([](auto&...) {});
};

}  // namespace packing

class Packer {
 public:
  template <class... X>
  void operator()(const X&... x) {
    (put(x), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  template <class X>
  void put(const X& x) {
    if constexpr (packing::HasMembers<X>) const_cast<X&>(x).members(*this);  // which only reads
    else {
      static_assert(packing::plain<X> && !std::is_pointer_v<X>);
      put_bytes(&x, sizeof x);
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    put_bytes(text.data(), text.size());
  }
  template <class X>
  void put(const std::vector<X>& list) {
    put(static_cast<std::uint64_t>(list.size()));
    if constexpr (packing::in_a_row<X>) put_bytes(list.data(), sizeof(X) * list.size());
    else
      for (const auto& x : list) put(static_cast<const X&>(x));
  }
  template <class Scalar, int Rows, int Cols, int Options>
  void put(const Eigen::Matrix<Scalar, Rows, Cols, Options>& m) {
    put(static_cast<std::int64_t>(m.rows()));
    put(static_cast<std::int64_t>(m.cols()));
    put_bytes(m.data(), sizeof(Scalar) * static_cast<std::size_t>(m.size()));
  }

  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <class... X>
  void operator()(X&... x) {
    (take(x), ...);
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  void take_bytes(void* data, std::size_t size) {
    assert(size <= bytes_.size());
    if (size > 0) std::memcpy(data, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::size_t take_size() {
    std::uint64_t size = 0;
    take(size);
    return static_cast<std::size_t>(size);
  }
  template <class X>
  void take(X& x) {
    if constexpr (packing::HasMembers<X>) x.members(*this);
    else {
      static_assert(packing::plain<X> && !std::is_pointer_v<X>);
      take_bytes(&x, sizeof x);
    }
  }
  void take(std::string& text) {
    text.resize(take_size());
    take_bytes(text.data(), text.size());
  }
  template <class X>
  void take(std::vector<X>& list) {
    list.clear();
    if constexpr (packing::in_a_row<X>) {
      list.resize(take_size());
      return take_bytes(list.data(), sizeof(X) * list.size());
    }
    for (std::size_t count = take_size(); count > 0; --count) {
      X x{};
      take(x);
      list.push_back(std::move(x));
    }
  }
  template <class Scalar, int Rows, int Cols, int Options>
  void take(Eigen::Matrix<Scalar, Rows, Cols, Options>& m) {
    std::int64_t rows = 0, cols = 0;
    take(rows);
    take(cols);
    m.resize(rows, cols);
    take_bytes(m.data(), sizeof(Scalar) * static_cast<std::size_t>(m.size()));
  }

  std::string_view bytes_;
};

template <class... X>
std::string packed(const X&... x) {
  Packer packer;
  packer(x...);
  return packer.take();
}

template <class... X>
void unpack(std::string_view bytes, X&... x) {
  Unpacker unpacker(bytes);
  unpacker(x...);
  assert(unpacker.at_end());
}

}  // namespace mercer
