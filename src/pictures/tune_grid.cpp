#include "pictures/tune_grid.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace mercer {

namespace {

/// A kernel's text cut at its numbers.
struct Parted {
  std::string shape;               // with # for each number
  std::vector<std::string> names;  // what stands before each: "gamma"
  std::vector<double> numbers;
};

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Parted parted(const std::string& text) {
  Parted out;
  std::string word;
  for (std::size_t at = 0; at < text.size();) {
    // A digit that belongs to a name, as in chi2, is none of the numbers.
    if (letter(text[at])) {
      word.clear();
      while (at < text.size() &&
             (letter(text[at]) || std::isdigit(static_cast<unsigned char>(text[at])) != 0))
        word += text[at++];
      out.shape += word;
      continue;
    }
    double value = 0;
    const auto [end, status] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (status == std::errc{}) {
      out.shape += '#';
      out.names.push_back(at > 0 && text[at - 1] == '=' ? word : "factor");
      out.numbers.push_back(value);
      at = static_cast<std::size_t>(end - text.data());
      continue;
    }
    out.shape += text[at++];
  }
  return out;
}

}  // namespace

TuneGrid::TuneGrid(const std::vector<const TuneCell*>& cells) {
  const Parted first = parted(cells.front()->kernel);
  std::map<std::string, std::vector<double>> numbers;
  for (const TuneCell* cell : cells) {
    Parted next = parted(cell->kernel);
    if (next.shape != first.shape) return;
    numbers[cell->kernel] = std::move(next.numbers);
  }
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    std::vector<double> taken;
    taken.reserve(numbers.size());
    for (const auto& [kernel, list] : numbers) taken.push_back(list[i]);
    std::ranges::sort(taken);
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    if (taken.size() < 2) continue;
    names.push_back(first.names[i]);
    values.push_back(std::move(taken));
    for (auto& [kernel, list] : numbers) of_kernel_[kernel].push_back(list[i]);
  }
  family = first.shape.find('(') == first.shape.rfind('(')
               ? first.shape.substr(0, first.shape.find('('))
               : "the kernel";
}

}  // namespace mercer
