// The text of a map gives a map that prints to itself and has the same features again, finite or of
// a row that is refused; or the text is refused.
#include "maps/from_text.hpp"

#include <mercer/error.hpp>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace mercer;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::vector<std::string> names{"x1", "a b", "height"};
  static const Matrix<double> x{{0, 1, 0.5}, {2, 0, -1}, {0.25, -1, 3}, {0, 0, 0}, {1e9, 4, 2}};
  try {
    const auto map = map_from_text<double>(text, 3, names);
    if (map->features() > 10'000) return 0;
    const auto again = map_from_text<double>(map->text(), 3, names);
    check(again->text() == map->text() && again->features() == map->features());
    check(map->feature_names(names).size() == static_cast<std::size_t>(map->features()));
    for (Index i = 0; i < x.rows(); ++i) {
      const Rows<double> row = Rows<double>(x).middle(i, 1);
      Matrix<double> a(1, map->features()), b = a;
      map->apply(row, a);
      again->apply(row, b);
      for (Index j = 0; j < a.size(); ++j)
        check(a(0, j) == b(0, j) || (a(0, j) != a(0, j) && b(0, j) != b(0, j)));
      if (a.allFinite()) map->require_domain(row, 0);
    }
  } catch (const Error& e) {
    check(e.code() == Errc::bad_option || e.code() == Errc::bad_data ||
          e.code() == Errc::out_of_memory);
    check(std::string_view(e.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
