#pragma once
// What every benchmark program needs: its words, a clock, its memory.

#include <mercer/matrix.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace mercer::bench {

/// name=value words; all others are files.
class Words {
 public:
  Words(int count, char** words) {
    for (int i = 0; i < count; ++i) {
      const std::string word = words[i];
      const auto equals = word.find('=');
      if (equals == word.npos) files.push_back(word);
      else values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  Index number(const std::string& name, Index otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : static_cast<Index>(std::stod(found->second));
  }
  bool is(const std::string& name, const std::string& value) const {
    return text(name, "") == value;
  }
  std::vector<std::string> files;

 private:
  std::map<std::string, std::string> values_;
};

/// Seconds of the quickest of several runs.
template <class Job>
double best(Index repetitions, Job&& job) {
  double least = 1e300;
  for (Index i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    job();
    const auto end = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double>(end - start).count());
  }
  return least;
}

inline long long peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024LL * usage.ru_maxrss;
}

}  // namespace mercer::bench
