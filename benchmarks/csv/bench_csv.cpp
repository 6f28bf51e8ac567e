// Times open + read_all of a CSV file: bench_csv FOLDER [runs] [threads].
// Makes FOLDER/numbers.csv (200,000 × 50 normal numbers, six decimals) when it is missing. Prints
// one line of JSON.

#include <mercer/data.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int rows = 200'000;
constexpr int columns = 50;

void write_table(const std::string& path) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::string text;
  for (int j = 0; j < columns; ++j) text += fmt::format("{}x{}", j == 0 ? "" : ",", j + 1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      fmt::format_to(std::back_inserter(text), "{}{:.6f}", j == 0 ? '\n' : ',', normal(generator));
  text += '\n';
  const std::string beside = path + ".part";
  std::ofstream(beside, std::ios::binary) << text;
  std::filesystem::rename(beside, path);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  const std::string path = folder + "/numbers.csv";
  try {
    if (!std::filesystem::exists(path)) write_table(path);
    double best = std::numeric_limits<double>::infinity();
    std::vector<double> sums(columns);
    for (int run = 0; run < runs; ++run) {
      const auto start = std::chrono::steady_clock::now();
      const auto table = mercer::read<double>(path, {.threads = threads});
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      best = std::min(best, seconds.count());
      for (int j = 0; j < columns; ++j) sums[static_cast<std::size_t>(j)] = table.x.col(j).sum();
    }
    fmt::print("{{\"seconds\": {}, \"sums\": [{}]}}\n", best, fmt::join(sums, ", "));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_csv: {}\n", error.what());
    return 1;
  }
}
