#include "cli/support.hpp"

#include <nlohmann/json.hpp>

namespace mercer::test::kernel_test {

using Json = nlohmann::json;

const std::string crossed = "a,b\n1,0\n0,1\n-1,0\n0,-1\n";

TEST(CliKernel, list_documents_every_kernel) {
  const auto run = mercer({"kernel", "list"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  for (const char* text :
       {"linear()", "poly(degree=3, coef0=1, gamma=1)", "rbf(gamma | sigma)", "laplacian(",
        "exponential(", "matern(nu=1.5, length)", "rational_quadratic(", "cosine()", "sigmoid(",
        "chi2(gamma=1)", "additive_chi2()", "constant(value=1)", "scikit-learn", "mlpack",
        "kernlab", "exp(-gamma |x-y|^2)"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
}

TEST(CliKernel, M_C3_check_accepts_a_mercer_kernel) {
  const auto run =
      mercer({"kernel", "check", "rbf + 0.1*linear", data_file("iris.csv"), "--label", "species"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* text : {"+ 0.1*linear()", "all 150 rows", "symmetric: yes",
                           "positive semi-definite: yes", "on any rows"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
}

TEST(CliKernel, M_C3_check_rejects_with_a_witness_and_exit_code_1) {
  const auto run = mercer({"kernel", "check", "poly(degree=1, coef0=-1)", "-"}, {.input = crossed});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_THAT(run.err, testing::HasSubstr("is not a Mercer kernel"));
  for (const char* text : {"positive semi-definite: no", "z'Kz = -4 < 0", "0.5 row 1"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
}

TEST(CliKernel, check_as_json_states_the_sample) {
  const auto run = mercer({"kernel", "check", "poly(degree=1, coef0=-1)", data_file("iris.csv"),
                           "--label", "species", "--sample", "50", "--json", "--columns", "1-2"});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  const auto bad =
      mercer({"kernel", "check", "poly(degree=1, coef0=-1)", "-", "--json"}, {.input = crossed});
  EXPECT_EQ(bad.exit_code, 1);
  const Json json = Json::parse(bad.out);
  EXPECT_EQ(json["valid"], false);
  EXPECT_EQ(json["symmetric"], true);
  EXPECT_EQ(json["n_samples"], 4);
  EXPECT_NEAR(json["smallest_eigenvalue"].get<double>(), -4, 1e-12);
  EXPECT_EQ(json["witness"]["rows"], Json({1, 2, 3, 4}));
  EXPECT_EQ(json["witness"]["z"].size(), 4u);
  EXPECT_EQ(Json::parse(run.out)["rows_checked"], 50);
  EXPECT_EQ(Json::parse(run.out)["n_samples"], 150);
}

TEST(CliKernel, M_C1_matrix_of_the_inhomogeneous_square) {
  const TempDir dir;
  const auto run = mercer({"kernel", "matrix", "poly(degree=2, coef0=1)", "-", "-o", "-"},
                          {.input = "a,b\n1,1\n2,1\n"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "k1,k2\n9,16\n16,36\n");
  const auto labels = mercer({"kernel", "matrix", "linear", "-", "--label", "c", "-o",
                              dir / "k.csv", "--precision", "float"},
                             {.input = "a,c\n1,x\n2,y\n"});
  EXPECT_EQ(labels.exit_code, 0) << labels.err;
  EXPECT_EQ(slurp(dir / "k.csv"), "c,k1,k2\nx,1,2\ny,2,4\n");
  EXPECT_EQ(mercer({"kernel", "matrix", "rbf", data_file("iris.csv"), "--label", "species", "-q",
                    "-o", dir / "k.npy"})
                .exit_code,
            0);
  EXPECT_EQ(slurp(dir / "k.npy").size(), 128u + 150 * 150 * 8);
}

TEST(CliKernel, an_open_width_is_told) {
  const auto run = mercer({"kernel", "matrix", "rbf", "-", "-o", "-"}, {.input = "a\n0\n2\n"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, testing::HasSubstr("note: the kernel is rbf(gamma=0.25)"));
}

TEST(CliKernel, errors_are_one_line) {
  const std::string iris = data_file("iris.csv");
  expect_error(mercer({"kernel", "check", "rbf(gama=1)", iris}), 2,
               {"column 5", "did you mean gamma?"});
  expect_error(mercer({"kernel", "check", "rbf(gamma=0)", iris}), 2, {"gamma = 0"});
  expect_error(mercer({"kernel", "check", "-2*rbf", iris}), 2, {"minus"});
  expect_error(mercer({"kernel", "check", "rbf\n?", iris}), 2, {"line 2, column 1", "'?'"});
  expect_error(mercer({"kernel", "check", "rbf"}), 2, {"DATA", "(see mercer kernel check --help)"});
  expect_error(mercer({"kernel"}), 2, {"a command is missing", "(see mercer kernel --help)"});
  expect_error(mercer({"kernel", "chek"}), 2, {"unknown command 'chek'"});
  expect_error(mercer({"kernel", "check", "rbf", iris, "--sample", "0", "--label", "species"}), 2,
               {"--sample '0'"});
  expect_error(mercer({"kernel", "check", "rbf", iris, "--missing", "mean"}), 2,
               {"--missing drop"});
  expect_error(mercer({"kernel", "check", "rbf", "nowhere.csv"}), 1, {"nowhere.csv"});
  expect_error(mercer({"kernel", "matrix", "rbf", iris}), 2, {"--output"});
  expect_error(mercer({"kernel", "check", "chi2", "-"}, {.input = "a,b\n1,2\n3,-4\n"}), 1,
               {"row 2, column 2 is -4", "chi2(gamma=1)"});
  expect_error(mercer({"kernel", "check", "poly(degree=9)", "-"}, {.input = "a\n1e60\n2\n"}), 1,
               {"overflows", "--scale std"});
  expect_error(mercer({"kernel", "check", "rbf", "-"}, {.input = "a\n1\n1\n"}), 1,
               {"all rows are equal", "gamma"});
}

TEST(CliKernel, an_instruction_set_can_be_forced) {
  const auto with = [](const char* name) {
    return run({"env", std::string("MERCER_SIMD=") + name, mercer_program(), "kernel", "matrix",
                "rbf(gamma=0.5)", data_file("iris.csv"), "--label", "species", "-o", "-"});
  };
  const auto best = with("");
  EXPECT_EQ(best.exit_code, 0) << best.err;
#if defined(__x86_64__)
  const auto narrow = with("sse4");
  EXPECT_EQ(narrow.exit_code, 0) << narrow.err;
  expect_near(narrow.out, best.out, 1e-14);
#endif
  const auto wrong = with("mmx");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, testing::HasSubstr("MERCER_SIMD"));
}

TEST(CliKernel, the_examples_of_the_help_do_what_it_says) {
  std::vector<std::string> examples;
  for (const std::string& line : split(mercer({"kernel", "check", "--help"}).out, '\n'))
    if (line.starts_with("  mercer kernel check ")) examples.push_back(line);
  ASSERT_EQ(examples.size(), 2u);
  const std::string folder = data_file("iris.csv").substr(0, data_file("iris.csv").rfind('/'));
  for (std::string example : examples) {
    const std::size_t refused = example.find("  refused");
    const int expected = refused == example.npos ? 0 : 1;
    example = "'" + mercer_program() + "'" + example.substr(8, refused - 8);
    EXPECT_EQ(run({"sh", "-c", "cd '" + folder + "' && " + example}).exit_code, expected)
        << example;
  }
}

}  // namespace mercer::test::kernel_test
