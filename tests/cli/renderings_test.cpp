// The same mistakes in C++ and on the command line, each told in the names of its front end.
// tests/errors/renderings.json has the lines; tests/python/test_renderings.py reads it as well.

#include "../../apps/cli/flags/spelling.hpp"
#include "cli/support.hpp"
#include "support/errors.hpp"

#include <mercer/fit.hpp>
#include <mercer/learn.hpp>
#include <mercer/map.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

namespace mercer::test::renderings_test {

namespace fs = std::filesystem;

const fs::path& root() {
  static const fs::path path = fs::path(data_file("iris.csv")).parent_path().parent_path();
  return path;
}

/// The options that messages of the library name: `memory`, `missing=drop`.
std::set<std::string> options_in_messages() {
  std::set<std::string> out;
  static const std::regex literal(R"re("(?:[^"\\]|\\.)*")re"), option("`([a-z_]+)(=[^`]*)?`");
  for (const auto& file : fs::recursive_directory_iterator(root() / "src")) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (line.find("//") < line.find('"')) continue;
      for (std::sregex_iterator s(line.begin(), line.end(), literal), end; s != end; ++s) {
        const std::string text = s->str();
        for (std::sregex_iterator o(text.begin(), text.end(), option); o != end; ++o)
          out.insert(o->str());
      }
    }
  }
  return out;
}

TEST(Renderings, every_option_that_a_message_names_has_a_flag) {
  const auto options = options_in_messages();
  EXPECT_GT(options.size(), 40U);
  for (const std::string& option : options)
    EXPECT_EQ(cli::in_flags(option).find('`'), std::string::npos) << option;
}

TEST(Renderings, flags_of_the_table_exist) {
  std::string help;
  for (const char* command :
       {"fit", "learn", "tune", "score", "transform", "denoise", "contour", "plot", "compress"})
    help += mercer({command, "--help"}).out;
  for (const Spelling& row : cli::flag_spellings) {
    const std::string flag(row.text.substr(0, row.text.find(' ')));
    if (flag.starts_with('-'))
      EXPECT_TRUE(std::regex_search(help, std::regex(flag + "[ ,\n]"))) << flag;
  }
}

/// Six rows of three columns, in memory and in rows.csv, times a factor.
Matrix<double> six_rows(double factor = 1) {
  Matrix<double> x(6, 3);
  for (Index i = 0; i < 6; ++i)
    x.row(i) << static_cast<double>(i), static_cast<double>(i * i), static_cast<double>(7 * i % 5);
  return factor * x;
}

/// Symmetric, with the eigenvalues 3 and −1.
Matrix<double> indefinite() {
  Matrix<double> k(2, 2);
  k << 1, 2, 2, 1;
  return k;
}

void write(const std::string& path, const Matrix<double>& x) {
  std::ofstream out(path);
  const Eigen::IOFormat csv(17, Eigen::DontAlignCols, ",", "\n");
  out << x.format(csv) << '\n';
}

struct Mistake {
  std::function<void()> in_cpp;
  Matrix<double> rows;                    ///< rows.csv
  std::vector<std::string> command_line;  ///< in a folder that has it
};

LearnOptions learning(const std::string& rule, Index components) {
  LearnOptions options;
  options.learner.rule = rule;
  options.learner.components = components;
  return options;
}

FitOptions kernel(const std::string& text, const char* approx = nullptr) {
  FitOptions options{.kernel = Kernel::parse(text)};
  if (approx) options.approx = parse_approx(approx);
  return options;
}

std::map<std::string, Mistake> mistakes() {
  const Matrix<double> x = six_rows(), large = six_rows(1e200);
  const std::vector<std::string> rbf = {"fit", "rows.csv", "--kernel", "rbf(gamma=1)"};
  const auto with = [](std::vector<std::string> words, std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::map<std::string, Mistake> out;
  out["more components than columns"] = {
      [=] { learn(Rows<double>(x), learning("gha", 4)); }, x, {"learn", "rows.csv", "-k", "4"}};
  out["a rule for one component"] = {[=] { learn(Rows<double>(x), learning("oja", 2)); },
                                     x,
                                     {"learn", "rows.csv", "--rule", "oja", "-k", "2"}};
  out["more landmarks than rows"] = {
      [=] { fit(x, kernel("rbf(gamma=1)", "nystrom(landmarks=7)")); }, x,
      with(rbf, {"--approx", "nystrom(landmarks=7)"})};
  out["an approximation of a given kernel matrix"] = {
      [] { fit(indefinite(), {.precomputed = true, .approx = parse_approx("nystrom")}); },
      indefinite(),
      {"fit", "rows.csv", "--header", "no", "--precomputed", "--approx", "nystrom"}};
  out["an approximation that does not reach its error"] = {
      [=] { fit(x, kernel("rbf(gamma=1)", "nystrom(landmarks=1, error=1e-9)")); }, x,
      with(rbf, {"--approx", "nystrom(landmarks=1, error=1e-9)"})};
  out["a kernel matrix that is not positive semi-definite"] = {
      [] { fit(indefinite(), {.precomputed = true}); },
      indefinite(),
      {"fit", "rows.csv", "--header", "no", "--precomputed"}};
  out["a kernel matrix larger than memory"] = {
      [=] {
        FitOptions options = kernel("rbf(gamma=1)");
        options.solver = Solver::dense;
        options.memory = std::size_t{1} << 20;
        options.threads = 2;  // each takes some of it
        fit(Matrix<double>(x.replicate(10, 1)), options);
      },
      x.replicate(10, 1), with(rbf, {"--solver", "dense", "--memory", "1MiB", "--threads", "2"})};
  out["numbers too large to square"] = {[=] { fit(large); }, large, {"fit", "rows.csv"}};
  out["a width of distances that overflow"] = {
      [=] { fit(large, kernel("rbf()")); }, large, {"fit", "rows.csv", "--kernel", "rbf()"}};
  out["a map that overflows"] = {[=] { fit(Rows<double>(large), monomial_map<double>(3, 2)); },
                                 large,
                                 {"fit", "rows.csv", "--map", "monomials(degree=2)"}};
  return out;
}

TEST(Renderings, cpp_and_the_command_line_name_options_in_their_own_way) {
  const auto table = nlohmann::json::parse(std::ifstream(root() / "tests/errors/renderings.json"));
  const auto all = mistakes();
  EXPECT_GE(table.size(), 10U);
  ASSERT_EQ(table.size(), all.size());
  for (const auto& row : table) {
    const auto name = row.at("mistake").get<std::string>();
    SCOPED_TRACE(name);
    ASSERT_TRUE(all.contains(name));
    const Mistake& mistake = all.at(name);
    EXPECT_EQ(std::string(error_of(mistake.in_cpp).what()), row.at("cpp").get<std::string>());
    TempDir dir;
    write(dir / "rows.csv", mistake.rows);
    EXPECT_EQ(mercer(mistake.command_line, {.directory = dir.path()}).err,
              "mercer: " + row.at("cli").get<std::string>() + "\n");
  }
}

}  // namespace mercer::test::renderings_test
