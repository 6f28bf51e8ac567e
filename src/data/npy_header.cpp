#include "data/npy_header.hpp"

#include "core/require.hpp"
#include "data/shown.hpp"

#include <cctype>
#include <charconv>
#include <limits>
#include <vector>

namespace mercer {

namespace {

/// Reads the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      key();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    check(rest_.empty());
    check(seen_ == (has_type | has_order | has_shape));
    return std::move(header_);
  }

 private:
  enum { has_type = 1, has_order = 2, has_shape = 4 };

  void key() {
    const std::string_view name = quoted();
    expect(':');
    if (name == "descr") once(has_type), type();
    else if (name == "fortran_order") once(has_order), order();
    else if (name == "shape") once(has_shape), shape();
    else check(false);
  }

  void type() {
    skip_space();
    require(!rest_.starts_with('['), Errc::bad_data,
            "'{}' contains records (a structured dtype), not numbers; save a plain 2-D array",
            Input(name_));
    const std::string_view text = quoted();
    std::string_view code = text;
    char order = '=';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != code.npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    static constexpr std::string_view known[] = {"f4", "f8", "i1", "i2", "i4", "i8",
                                                 "u1", "u2", "u4", "u8", "b1"};
    bool supported = false;
    for (const std::string_view k : known) supported = supported || k == code;
    require(supported, Errc::bad_data,
            "'{}' has dtype '{}'; supported are f4, f8, i1 to i8, u1 to u8 and b1", Input(name_),
            shown(text));
    header_.type.kind = code[0];
    header_.type.size = code[1] - '0';
    header_.type.text = text;
    header_.type.swapped =
        header_.type.size > 1 && (order == '<' || order == '>') && order != npy_native_order;
  }

  void order() {
    skip_space();
    if (rest_.starts_with("True")) header_.fortran = true;
    else check(rest_.starts_with("False"));
    rest_.remove_prefix(header_.fortran ? 4 : 5);
  }

  void shape() {
    skip_space();
    const std::string_view begin = rest_;
    expect('(');
    std::vector<Index> sizes;
    while (!accept(')')) {
      sizes.push_back(number());
      check(sizes.size() <= 64);  // NumPy's own limit is 32
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    header_.shape = begin.substr(0, begin.size() - rest_.size());
    require(sizes.size() == 1 || sizes.size() == 2, Errc::bad_data,
            "'{}' has shape {}; rows need 2 dimensions (or 1: a single column)", Input(name_),
            header_.shape);
    header_.rows = sizes[0];
    header_.cols = sizes.size() == 2 ? sizes[1] : 1;
  }

  Index number() {
    skip_space();
    Index value = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    check(status == std::errc{} && value >= 0);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // written by Python 2
    return value;
  }

  std::string_view quoted() {
    skip_space();
    check(rest_.starts_with('\'') || rest_.starts_with('"'));
    const std::size_t end = rest_.find(rest_[0], 1);
    check(end != rest_.npos);
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { check(accept(c)); }
  void once(unsigned what) {
    check((seen_ & what) == 0);
    seen_ |= what;
  }
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
  }
  void check(bool holds) const {
    require(holds, Errc::bad_file, "'{}' is damaged: its NPY header is invalid", name_);
  }

  std::string_view rest_;
  const std::string& name_;
  NpyHeader header_;
  unsigned seen_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  NpyHeader header = Parser(text, name).parse();
  require(header.rows > 0 && header.cols > 0, Errc::bad_data, "'{}' is empty: its shape is {}",
          Input(name), header.shape);
  Index cells = 0;
  Index bytes = 0;
  const bool overflow = __builtin_mul_overflow(header.rows, header.cols, &cells) ||
                        __builtin_mul_overflow(cells, Index{8}, &bytes);
  require(!overflow && header.cols <= std::numeric_limits<std::int32_t>::max(), Errc::bad_file,
          "'{}' has an impossible shape, {}", name, header.shape);
  header.data_bytes = static_cast<std::size_t>(cells) * static_cast<std::size_t>(header.type.size);
  return header;
}

NpyHeader read_npy_header(ByteStream& bytes) {
  const std::string name = bytes.name();
  unsigned char start[12] = {};
  const auto take = [&](std::size_t from, std::size_t count) {
    const std::size_t got = bytes.read(reinterpret_cast<char*>(start) + from, count);
    require(got == count, Errc::bad_file, "'{}' is truncated: it ends inside its NPY header", name);
  };
  const std::size_t got = bytes.read(reinterpret_cast<char*>(start), 6);
  require(got != 0, Errc::bad_file, "'{}' is empty", name);
  require(std::string_view(reinterpret_cast<char*>(start), got) == "\x93NUMPY", Errc::bad_file,
          "'{}' is not a NPY file", name);
  take(6, 4);
  const int version = start[6];
  require(version >= 1 && version <= 3, Errc::bad_file,
          "'{}' is a NPY file of version {}.{}; versions 1 to 3 can be read", name, version,
          start[7]);
  std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
  if (version > 1) {
    take(10, 2);
    length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
  }
  constexpr std::size_t longest = 1 << 20;
  require(length <= longest, Errc::bad_file,
          "'{}' is damaged: its NPY header declares {} bytes, more than the {} allowed", name,
          length, longest);
  std::string text(length, '\0');
  require(bytes.read(text.data(), length) == length, Errc::bad_file,
          "'{}' is truncated: it ends inside its NPY header", name);
  NpyHeader header = parse_npy_header(text, name);
  header.data_offset = (version == 1 ? 10 : 12) + length;
  return header;
}

}  // namespace mercer
