// `export`, `matrix`, `map`, `kernel matrix --center` and `inspect --matrix`: the objects of the
// lectures as files, and what they have to satisfy.
#include "cli/support.hpp"

#include <mercer/data.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::written_objects_test {

using Json = nlohmann::json;

class CliObjects : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir = new TempDir;
    const auto make = [](std::vector<std::string> words) {
      const test::Run run = mercer(std::move(words), {.directory = dir->path()});
      ASSERT_EQ(run.exit_code, 0) << run.err;
    };
    make({"fit", data_file("wine.csv"), "--label", "cultivar", "-q", "-o", "wine.st"});
    make({"fit", data_file("wine.csv"), "--label", "cultivar", "--scale", "std", "-k", "2", "-q",
          "-o", "scaled.st"});
    make({"fit", data_file("rings.csv"), "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k",
          "4", "-q", "-o", "rings.st"});
  }
  static void TearDownTestSuite() { delete dir; }

  static test::Run in_dir(const std::vector<std::string>& words) {
    return mercer(words, {.directory = dir->path()});
  }
  /// Runs it with -o FILE, and reads the file; `names`: the column of names.
  static Matrix<double> written(std::vector<std::string> words, const std::string& file,
                                const std::string& names = "") {
    words.insert(words.end(), {"-o", file});
    const test::Run run = in_dir(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return read<double>(*dir / file, {.id = names}).x;
  }

  static inline TempDir* dir = nullptr;
};

TEST_F(CliObjects, M_T1_RQ_equals_QL_from_the_exported_files) {
  const Matrix<double> r =
      written({"matrix", data_file("wine.csv"), "--label", "cultivar", "--what", "covariance"},
              "R.csv", "column");
  const Matrix<double> q =
      written({"export", "wine.st", "--what", "eigenvectors"}, "Q.csv", "column");
  const Matrix<double> l =
      written({"export", "wine.st", "--what", "variances"}, "L.csv", "component");
  ASSERT_EQ(r.rows(), 13);
  ASSERT_EQ(q.cols(), 13);
  EXPECT_EQ(r, r.transpose());
  EXPECT_LE((r * q - q * Vector<double>(l.col(0)).asDiagonal()).cwiseAbs().maxCoeff(),
            1e-12 * r.norm());
  // The scatter matrix has the eigenvalues, 177 times the variances.
  const Matrix<double> s = written(
      {"matrix", data_file("wine.csv"), "--label", "cultivar", "--what", "scatter"}, "S.npy");
  const Matrix<double> mu = written({"export", "wine.st", "--what", "eigenvalues"}, "mu.npy");
  EXPECT_LE((s * q - q * Vector<double>(mu.col(0)).asDiagonal()).cwiseAbs().maxCoeff(),
            1e-12 * s.norm());
}

TEST_F(CliObjects, M_T1_products_of_written_features_are_the_written_kernel_matrix) {
  const Matrix<double> phi = written(
      {"map", "polynomial(degree=2)", data_file("rings.csv"), "--columns", "x,y"}, "phi.csv");
  const Matrix<double> k = written(
      {"kernel", "matrix", "poly(degree=2, coef0=1)", data_file("rings.csv"), "--columns", "x,y"},
      "K.csv");
  ASSERT_EQ(phi.cols(), 6);
  EXPECT_LE((phi * phi.transpose() - k).cwiseAbs().maxCoeff(), 1e-13 * k.cwiseAbs().maxCoeff());
  const std::string header = slurp(*dir / "phi.csv").substr(0, 60);
  EXPECT_TRUE(header.starts_with("1,sqrt(2)*x,sqrt(2)*y,x^2,sqrt(2)*x*y,y^2\n")) << header;
}

TEST_F(CliObjects, M_T1_alpha_and_the_centred_kernel_matrix_satisfy_the_eigenvalue_equation) {
  const Matrix<double> k = written({"kernel", "matrix", "rbf(gamma=0.5)", data_file("rings.csv"),
                                    "--columns", "x,y", "--center"},
                                   "JKJ.npy");
  const Matrix<double> alpha = written({"export", "rings.st", "--what", "alpha"}, "a.csv", "row");
  const Matrix<double> mu = written({"export", "rings.st", "--what", "eigenvalues"}, "m.npy");
  ASSERT_EQ(alpha.cols(), 4);
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(alpha.col(c).squaredNorm() * mu(c, 0), 1, 1e-12);
  EXPECT_LE((k * alpha - alpha * Vector<double>(mu.col(0)).asDiagonal()).cwiseAbs().maxCoeff(),
            1e-10 * mu(0, 0));
  EXPECT_LE(k.rowwise().sum().cwiseAbs().maxCoeff(), 1e-12 * k.norm());
}

TEST_F(CliObjects, M_T1_gram_and_covariance_have_the_same_eigenvalues) {
  const Matrix<double> g =
      written({"matrix", data_file("wine.csv"), "--label", "cultivar", "--what", "gram"}, "G.npy");
  const Matrix<double> mu = written({"export", "wine.st", "--what", "eigenvalues"}, "e.npy");
  EXPECT_EQ(g.rows(), 178);
  EXPECT_NEAR(g.trace(), mu.sum(), 1e-12 * g.trace());
  EXPECT_NEAR(g.squaredNorm(), mu.squaredNorm(), 1e-12 * g.squaredNorm());
}

TEST_F(CliObjects, M_L8_names_of_r_and_scikit_learn) {
  const auto header = [&](std::vector<std::string> words) {
    const test::Run run = in_dir(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return cells(run.out);
  };
  auto table = header({"export", "scaled.st", "--what", "rotation", "--names", "r"});
  EXPECT_EQ(table[0], (std::vector<std::string>{"column", "PC1", "PC2"}));
  EXPECT_EQ(table[1][0], "alcohol");
  table = header({"export", "scaled.st", "--what", "components", "--names", "sklearn"});
  EXPECT_EQ(table[0][1], "alcohol");
  EXPECT_EQ(table[1][0], "pca0");
  EXPECT_EQ(header({"export", "scaled.st", "--what", "mean", "--names", "r"})[0][1], "center");
  EXPECT_EQ(header({"export", "scaled.st", "--what", "scale", "--names", "sklearn"})[0][1],
            "scale_");
}

TEST_F(CliObjects, M_T1_inspect_prints_matrices_with_all_digits) {
  const Matrix<double> b =
      written({"export", "scaled.st", "--what", "components"}, "B.csv", "component");
  const test::Run text = in_dir({"inspect", "scaled.st", "--matrix", "components"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, testing::HasSubstr("alcohol"));
  const auto table = cells(slurp(*dir / "B.csv"));
  for (const std::string& cell : table[1]) EXPECT_THAT(text.out, testing::HasSubstr(cell));
  const Json json = Json::parse(in_dir({"inspect", "scaled.st", "--json"}).out);
  ASSERT_EQ(json["components"].size(), 2u);
  EXPECT_EQ(json["components"][1][3].get<double>(), b(1, 3));
  EXPECT_EQ(json["mean"].size(), 13u);
  EXPECT_EQ(json["scale_values"].size(), 13u);
  const Json one = Json::parse(in_dir({"inspect", "scaled.st", "--matrix", "mean", "--json"}).out);
  EXPECT_EQ(one["values"][0][0], json["mean"][0]);
  const Json unscaled = Json::parse(in_dir({"inspect", "wine.st", "--json"}).out);
  EXPECT_TRUE(unscaled["scale_values"].is_null());
  const Json kernel = Json::parse(in_dir({"inspect", "rings.st", "--json"}).out);
  EXPECT_TRUE(kernel["components"].is_null() && kernel["mean"].is_null());
  EXPECT_EQ(kernel["feature_space_dimension"], "infinite");
}

TEST_F(CliObjects, M_T1_bad_input_is_one_line) {
  expect_error(in_dir({"export", "wine.st", "--what", "alpha"}), 2,
               {"alpha", "exact kernel models", "linear model"});
  expect_error(in_dir({"export", "rings.st", "--what", "rotation"}), 2,
               {"rotation", "linear models and models of a map", "rbf(gamma=0.5)"});
  expect_error(in_dir({"export", "wine.st", "--what", "scale"}), 2, {"models of z-scores"});
  expect_error(in_dir({"export", "wine.st", "--what", "component"}), 2,
               {"--what 'component' is unknown", "components"});
  expect_error(in_dir({"export", "wine.st", "--what", "mean", "-o", "m.onnx"}), 2,
               {"m.onnx", ".csv"});
  expect_error(in_dir({"export", "wine.st", "--what", "mean", "--names", "julia"}), 2, {"julia"});
  expect_error(in_dir({"inspect", "wine.st", "--matrix", "mean", "--loadings"}), 2,
               {"mutually exclusive"});
  const std::string constant = "a,b\n1,2\n1,3\n1,5\n";
  expect_error(mercer({"matrix", "-", "--what", "correlation"}, {.input = constant}), 1,
               {"standard input", "column 1 is constant", "--exclude"});
  expect_error(mercer({"map", "cubes", "-"}, {.input = constant}), 2, {"cubes"});
  expect_error(mercer({"map", "monomials(degree=20)", "-"}, {.input = "a,b\n1,2\n1e300,3\n"}), 1,
               {"standard input", "row 2", "a^20"});
  expect_error(mercer({"map", "squares", "-", "--missing", "mean"}, {.input = "a,b\n1,2\n,3\n"}), 2,
               {"--missing mean"});
  expect_error(
      mercer({"matrix", "-", "--what", "covariance", "--memory", "1KiB"}, {.input = constant}), 1,
      {"--memory"});
}

TEST_F(CliObjects, M_T1_help_lists_the_treatments_of_missing_cells_that_a_command_has) {
  const auto help = [](std::vector<std::string> command) {
    command.emplace_back("--help");
    return mercer(command).out;
  };
  EXPECT_THAT(help({"fit"}), testing::HasSubstr("--missing error|drop|mean|em"));
  EXPECT_THAT(help({"transform"}), testing::HasSubstr("--missing error|drop|mean|em"));
  for (const char* command : {"matrix", "probe", "tune"}) {
    EXPECT_THAT(help({command}), testing::HasSubstr("--missing error|drop|mean "));
    expect_error(mercer({command, data_file("rings.csv"), "--missing", "em"}), 2,
                 {"--missing em is not supported by", command, "use --missing mean or drop"});
  }
  for (const char* command : {"learn", "moments", "map"})
    EXPECT_THAT(help({command}), testing::HasSubstr("--missing error|drop ")) << command;
  EXPECT_THAT(help({"kernel", "check"}), testing::HasSubstr("--missing error|drop "));
}

TEST_F(CliObjects, M_T1_labels_and_weights_as_in_fit) {
  const test::Run run = mercer({"map", "squares", "-", "--label", "c", "--id", "n"},
                               {.input = "n,a,b,c\nu,1,-2,red\nv,3,0.5,blue\n"});
  EXPECT_EQ(run.out, "n,c,a^2,b^2\nu,red,1,4\nv,blue,9,0.25\n") << run.err;
  const test::Run weighted = mercer({"matrix", "-", "--weights", "w", "--what", "covariance"},
                                    {.input = "a,w\n0,1\n3,2\n"});
  EXPECT_EQ(weighted.out, "column,a\na,3\n") << weighted.err;  // 0, 3, 3
  const test::Run filled =
      mercer({"matrix", "-", "--missing", "mean"}, {.input = "a,b\n1,2\n,2\n4,5\n"});
  EXPECT_EQ(filled.out, "column,a,b\na,2.25,2.25\nb,2.25,3\n") << filled.err;  // 1, 2.5, 4
}

TEST_F(CliObjects, M_T2_the_summary_states_the_size_of_the_feature_space) {
  const auto summary = [](const std::vector<std::string>& space) {
    std::vector<std::string> words = {"fit", data_file("rings.csv"), "--label", "class",
                                      "--no-plot"};
    words.insert(words.end(), space.begin(), space.end());
    const test::Run run = mercer(words, {.environment = {"LC_ALL=C"}});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  EXPECT_THAT(summary({"--map", "polynomial(degree=2)"}),
              testing::HasSubstr("D = 6 features (degree <= 2 of 2 columns)\n5 components from 2 "
                                 "columns: "));
  EXPECT_THAT(summary({"--kernel", "poly(degree=2, coef0=1)", "-k", "3"}),
              testing::AllOf(testing::HasSubstr("D = 6 features"),
                             testing::HasSubstr("3 components from 2 columns: "),
                             testing::HasSubstr("300 rows can have up to 5")));
  EXPECT_THAT(summary({"--kernel", "rbf(gamma=0.5)", "-k", "2"}),
              testing::AllOf(testing::HasSubstr("D is infinite: N rows have up to N - 1"),
                             testing::Not(testing::HasSubstr("from 2 columns"))));
  EXPECT_THAT(summary({}), testing::Not(testing::HasSubstr("D = ")));
}

}  // namespace mercer::test::written_objects_test
