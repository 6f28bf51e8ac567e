// bench_calibrate                          the cases, as JSON lines
// bench_calibrate STATEMENT CASE FIRST END replicates of a case: a JSON line each
#include "calibrate.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <iostream>

namespace {

using namespace calibrate;
using Json = nlohmann::ordered_json;

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& some :
       {limits_cases(), significance_cases(), interval_cases(), converged_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// FNV-1a of the case's name: a case that is added changes no other.
std::uint64_t seed_of(const Case& c, std::uint64_t replicate) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : c.statement + "/" + c.name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  // Mixed (SplitMix64): what derives seeds from seeds must not meet those of the next replicate.
  std::uint64_t z = hash + replicate * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

int list() {
  static const char* judges[] = {"rate", "at_most", "uniform"};
  for (const Case& c : all_cases()) {
    Json outcomes = Json::array();
    for (const Outcome& o : c.outcomes)
      outcomes.push_back(
          {{"name", o.name}, {"judge", judges[static_cast<int>(o.judge)]}, {"stated", o.stated}});
    std::cout << Json{{"statement", c.statement}, {"case", c.name}, {"outcomes", outcomes}} << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return list();
  if (argc != 5) return 2;
  for (const Case& c : all_cases()) {
    if (c.statement != argv[1] || c.name != argv[2]) continue;
    const std::uint64_t end = std::strtoull(argv[4], nullptr, 10);
    for (std::uint64_t r = std::strtoull(argv[3], nullptr, 10); r < end; ++r)
      std::cout << Json{{"replicate", r}, {"values", c.draw(seed_of(c, r))}} << '\n';
    return 0;
  }
  std::cerr << "there is no case '" << argv[2] << "' of '" << argv[1] << "'\n";
  return 2;
}
