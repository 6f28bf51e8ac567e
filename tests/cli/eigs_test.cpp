// mercer eigs: symmetric matrices from files. References are closed forms.

#include "cli/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace mercer::test::eigs_command_test {

using Json = nlohmann::json;

/// L of a path of n vertices: eigenvalues 2 − 2 cos(πj/n), j = 0 … n−1.
double path(long n, long i, long j) {
  if (i == j) return i == 0 || i == n - 1 ? 1 : 2;
  return std::abs(i - j) == 1 ? -1 : 0;
}

double path_eigenvalue(long n, long j) {
  return 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(j) / static_cast<double>(n));
}

std::string path_csv(long n) {
  std::string text;
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) text += fmt::format("{}{}", path(n, i, j), j + 1 < n ? "," : "\n");
  return text;
}

/// The lower triangle, as MatrixMarket has symmetric matrices.
std::string path_mtx(long n) {
  std::string text =
      fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", n, n, 2 * n - 1);
  for (long i = 0; i < n; ++i) {
    text += fmt::format("{} {} {}\n", i + 1, i + 1, path(n, i, i));
    if (i > 0) text += fmt::format("{} {} -1\n", i + 1, i);
  }
  return text;
}

class CliEigs : public testing::Test {
 protected:
  const TempDir dir;
};

TEST_F(CliEigs, M_H2_eigenpairs_of_a_path_graph_have_their_closed_form_in_every_format) {
  constexpr long n = 150;
  const std::string files[] = {
      dir.file("l.npy", npy(n, n, [](long i, long j) { return path(n, i, j); })),
      dir.file("l.csv", path_csv(n)), dir.file("l.mtx", path_mtx(n))};
  for (const std::string& file : files)
    for (const bool smallest : {false, true}) {
      std::vector<std::string> words = {"eigs",   file,          "-k",         "3",
                                        "--json", "--tolerance", "1e-9",       "--passes",
                                        "2000",   "-o",          dir / "v.npy"};
      if (smallest) words.emplace_back("--smallest");
      const auto run = mercer(words);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.err, "");
      const Json json = Json::parse(run.out);
      EXPECT_EQ(json["size"], n);
      EXPECT_EQ(json["smallest"], smallest);
      EXPECT_GT(json["passes"], 1);
      ASSERT_EQ(json["eigenvalues"].size(), 3u);
      for (long j = 0; j < 3; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const double residual = json["residuals"][at].get<double>();
        EXPECT_LE(residual, 4e-9);  // ‖L‖ < 4
        // An eigenvalue lies within the residual; 1e-14 is the rounding of the product.
        EXPECT_NEAR(json["eigenvalues"][at].get<double>(),
                    path_eigenvalue(n, smallest ? j : n - 1 - j), residual + 1e-14)
            << file << " " << j;
      }
      // The fourth is not beyond the bound on what was not found.
      const double beyond = json["beyond"].get<double>();
      const double fourth = path_eigenvalue(n, smallest ? 3 : n - 4);
      EXPECT_TRUE(smallest ? fourth >= beyond - 1e-8 : fourth <= beyond + 1e-8) << beyond;
    }
}

TEST_F(CliEigs, M_H2_vectors_are_those_of_the_path_graph_with_fixed_signs) {
  constexpr long n = 12;
  const auto run = mercer({"eigs", "-", "-k", "2", "-o", "-"}, {.input = path_csv(n)});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = cells(run.out);
  ASSERT_EQ(rows.size(), n + 1);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"v1", "v2"}));
  for (long j = 0; j < 2; ++j) {
    // cos(π m (i + ½)/n) is the eigenvector of 2 − 2 cos(πm/n); its norm is √(n/2).
    const double m = static_cast<double>(n - 1 - j);
    double largest = 0, sign = 0;
    std::vector<double> wanted;
    for (long i = 0; i < n; ++i) {
      wanted.push_back(std::cos(std::numbers::pi * m * (static_cast<double>(i) + 0.5) / n) /
                       std::sqrt(n / 2.0));
      if (std::abs(wanted.back()) > 1.000001 * largest) {
        largest = std::abs(wanted.back());
        sign = wanted.back() > 0 ? 1 : -1;
      }
    }
    // Residual 4e-10 over the gap of at least 0.06 between the eigenvalues.
    for (long i = 0; i < n; ++i)
      EXPECT_NEAR(number(rows[static_cast<std::size_t>(i + 1)][static_cast<std::size_t>(j)]),
                  sign * wanted[static_cast<std::size_t>(i)], 1e-8)
          << i << " " << j;
  }
}

TEST_F(CliEigs, a_centred_matrix_has_lost_its_constant_part) {
  // A = L + 11ᵀ has the eigenvalue n of the constant vector, which centring makes 0: JAJ = L.
  constexpr long n = 20;
  const std::string file =
      dir.file("a.npy", npy(n, n, [](long i, long j) { return path(n, i, j) + 1; }));
  const auto first = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"eigs", file, "-k", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(mercer(words).out)["eigenvalues"][0].get<double>();
  };
  EXPECT_NEAR(first({}), n, 1e-8);
  EXPECT_NEAR(first({"--center"}), path_eigenvalue(n, n - 1), 1e-8);
}

TEST_F(CliEigs, prints_values_residuals_and_passes) {
  const auto run = mercer({"eigs", "-"}, {.input = "a,b\n2,1\n1,2\n"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("eigenvalue +residual\n +1 +3 .*\n +2 +1 .*\n"));
  EXPECT_THAT(run.out, testing::HasSubstr("pass"));
  const auto one = mercer({"eigs", "-", "-k", "1"}, {.input = "a,b\n2,1\n1,2\n"});
  EXPECT_THAT(one.out, testing::HasSubstr("all others are below"));
}

TEST_F(CliEigs, no_bound_on_the_others_is_not_a_proven_one) {
  // 11ᵀ of order 80: the eigenvalue 0 has 79 copies, more than random vectors can tell apart.
  const std::string file = dir.file("one.npy", npy(80, 80, [](long, long) { return 1.0; }));
  const auto text = mercer({"eigs", file, "-k", "1", "--smallest"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, testing::HasSubstr("no bound on the others was found"));
  EXPECT_THAT(text.out, testing::Not(testing::HasSubstr("inf")));
  const Json json = Json::parse(mercer({"eigs", file, "-k", "1", "--smallest", "--json"}).out);
  EXPECT_TRUE(json["beyond"].is_null()) << json["beyond"];
  EXPECT_EQ(json["confidence"], 0);
}

TEST_F(CliEigs, M_P4_threads_do_not_change_the_bits) {
  const std::string file = dir.file("l.mtx", path_mtx(400));
  const auto run = [&](const char* threads) {
    return mercer({"eigs", file, "-k", "2", "--tolerance", "1e-6", "-o", "-", "--threads", threads})
        .out;
  };
  EXPECT_EQ(run("1"), run("3"));
  EXPECT_NE(run("1"), "");
}

TEST_F(CliEigs, M_P8_bad_matrices_are_refused_in_one_line) {
  const auto refused = [](const std::string& csv, int code, const std::vector<std::string>& words,
                          std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"eigs", "-"});
    expect_error(mercer(more, {.input = csv}), code, words);
  };
  refused("a,b,c\n1,2,3\n2,1,4\n", 1, {"square", "2×3"});
  refused("a,b,c\n1,2,3\n2,1,4\n3,4.5,1\n", 1,
          {"not symmetric", "row 2, column 3 is 4", "row 3, column 2 is 4.5"});
  for (const char* cell : {"", "nan", "NA"})
    refused(fmt::format("a,b\n1,{0}\n{0},1\n", cell), 1,
            {"'standard input': row 1, column 2 is nan"});
  refused("a,b\n1,inf\ninf,1\n", 1, {"line 2", "'b'"});
  refused("a,b\n1e-310,0\n0,2e-310\n", 1, {"2e-310", "subnormal"});
  refused("a,b\n1,2\n2,1\n", 2, {"--missing mean"}, {"--missing", "mean"});
  refused("a,b\n1,2\n2,1\n", 2, {"-k '3'", "1 to 2"}, {"-k", "3"});
  const std::string skew = dir.file(
      "s.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 3 5\n2 2 1\n");
  expect_error(mercer({"eigs", skew, "-k", "1"}), 1,
               {"s.mtx", "not symmetric", "row 2, column 3 is 5", "row 3, column 2 is 0"});
  expect_error(mercer({"eigs", dir.file("p.mtx", path_mtx(3000)), "-k", "9", "--memory", "1MiB"}),
               1, {"takes 129 KiB", "9 eigenvectors", "--memory", "at least 3.4 MiB"});
  expect_error(
      mercer({"eigs", dir.file("q.mtx", path_mtx(2000)), "-k", "2", "--smallest", "--passes", "2"}),
      1, {"in 2 passes", "decreases too slowly"});
}

}  // namespace mercer::test::eigs_command_test
