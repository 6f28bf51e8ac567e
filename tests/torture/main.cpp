// mercer_torture: random and hostile problems by every method against a higher-precision oracle,
// metamorphic pairs and invariants.
//
//     mercer_torture [--seed S] [--problems N] [--seconds T] [--save FOLDER] [--one SEED]
//     mercer_torture --write FOLDER …       only writes problems and what the library answers
//
// Exit code 1 when anything was wrong. Each failure is shrunk and shown as rows and a command.

#include "torture/check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace mercer::torture {

namespace {

struct Flags {
  std::uint64_t seed = 1;
  std::int64_t problems = 1000;
  double seconds = 1e9;
  std::string save;
  std::string write;  ///< folder: each problem with its answer, for other front ends
  bool one = false, show = false, quiet = false;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--show") flags.show = true;
    else if (name == "--quiet") flags.quiet = true;
    else {
      ++i;
      if (name == "--seed") flags.seed = std::stoull(value);
      else if (name == "--problems") flags.problems = std::stoll(value);
      else if (name == "--seconds") flags.seconds = std::stod(value);
      else if (name == "--save") flags.save = value;
      else if (name == "--write") flags.write = value;
      else if (name == "--one") flags.seed = std::stoull(value), flags.one = true;
      else throw std::runtime_error("mercer_torture: unknown option " + name);
    }
  }
  if (flags.one) flags.problems = 1;
  return flags;
}

/// The message without its numbers: one class of refusals.
std::string kind_of(std::string message) {
  std::string out;
  for (const char c : message) {
    const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
    if (!digit) out += c;
    else if (out.empty() || out.back() != '#') out += '#';
  }
  return out.substr(0, 110);
}

void report(const Problem& found, const Verdict& verdict, const Flags& flags) {
  fmt::print("WRONG seed {} ({}{}): {}: {}\n", found.seed, found.recipe,
             found.single ? ", float" : "", verdict.method, verdict.wrong);
  const Problem small = shrunk(found);
  const std::string file = fmt::format("torture-{}.csv", found.seed);
  fmt::print("  {}\n{}", command_of(small, file), csv_of(small));
  const Verdict again = examine(small);
  fmt::print("  {}: {}\n", again.method, again.wrong);
  if (!flags.save.empty()) {
    std::ofstream(flags.save + "/" + file) << csv_of(small);
    std::ofstream(flags.save + "/" + fmt::format("torture-{}.txt", found.seed))
        << command_of(small, file) << "\n"
        << again.method << ": " << again.wrong << "\n";
  }
  std::fflush(stdout);
}

/// NAME.csv and NAME.json: the same question for the command line and for Python.
void write_question(const Problem& p, const std::string& folder) {
  const std::string name = fmt::format("{}/{}", folder, p.seed);
  const bool kernel = p.kernel.has_value();
  for (const Method& method : methods()) {
    if (method.name != (kernel ? "kernel auto" : "auto")) continue;
    Answer a = method.run(p, 2);
    if (p.components.kind() == Components::Kind::count && !a.refused()) {
      Problem hard = p;  // front ends ask for exactly so many, which may take another solver
      hard.components = static_cast<Index>(a.eigenvalues.size());
      a = method.run(hard, 2);
    }
    nlohmann::ordered_json json{{"kernel", kernel ? p.kernel->text() : ""},
                                {"single", p.single},
                                {"center", p.center},
                                {"weighted", !p.weights.empty()},
                                {"tolerance", p.tolerance()},
                                {"components", "all"},
                                {"refusal", a.refusal},
                                {"eigenvalues", a.eigenvalues},
                                {"low", a.low},
                                {"high", a.high}};
    if (p.components.kind() == Components::Kind::fraction)
      json["components"] = p.components.fraction();
    if (p.components.kind() == Components::Kind::count) json["components"] = a.eigenvalues.size();
    std::ofstream(name + ".csv") << csv_of(p);
    std::ofstream(name + ".json") << json.dump();
  }
}

int torture(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  const auto start = std::chrono::steady_clock::now();
  std::int64_t done = 0, wrong = 0, answers = 0;
  std::map<std::string, std::int64_t> refusals;
  for (; done < flags.problems; ++done) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (spent.count() > flags.seconds) break;
    const Problem p = make_problem(
        flags.one ? flags.seed : flags.seed * 1'000'000'000U + static_cast<std::uint64_t>(done));
    if (flags.show) fmt::print("{}{}\n", csv_of(p), command_of(p, "x.csv"));
    if (!flags.write.empty()) {
      write_question(p, flags.write);
      continue;
    }
    const Verdict verdict = examine(p);
    answers += verdict.answers;
    for (const auto& [method, message] : verdict.refusals)
      ++refusals[method + ": " + kind_of(message)];
    if (verdict.wrong.empty()) continue;
    ++wrong;
    if (wrong <= 20) report(p, verdict, flags);
  }
  if (!flags.quiet)
    for (const auto& [what, count] : refusals) fmt::print("refused {:6}  {}\n", count, what);
  fmt::print("{} problems, {} answers, {} wrong (seed {})\n", done, answers, wrong, flags.seed);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

}  // namespace mercer::torture

int main(int argc, char** argv) {
  try {
    return mercer::torture::torture(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
