#include "cli/support.hpp"

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

namespace mercer::test::fit_test {

using Json = nlohmann::json;

/// The features of a bundled set, read by the test itself; the label is the last column.
Eigen::MatrixXd features(const std::string& name) {
  const auto rows = cells(slurp(data_file(name)));
  Eigen::MatrixXd x(rows.size() - 1, rows[0].size() - 1);
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      x(i, j) = number(rows[static_cast<std::size_t>(i) + 1][static_cast<std::size_t>(j)]);
  return x;
}

/// Singular values squared of the centred rows, descending.
Eigen::VectorXd spectrum(const Eigen::MatrixXd& x, bool center = true) {
  Eigen::MatrixXd c = x;
  if (center) c.rowwise() -= x.colwise().mean();
  return c.jacobiSvd().singularValues().cwiseAbs2();
}

Json fit_json(std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"fit", data_file("iris.csv"), "--label", "species", "--json"});
  const auto run = mercer(flags);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out);
}

void expect_spectrum(const Json& json, const Eigen::VectorXd& expected, double tolerance = 1e-10) {
  ASSERT_EQ(json["eigenvalues"].size(), static_cast<std::size_t>(expected.size()));
  for (Eigen::Index i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(json["eigenvalues"][static_cast<std::size_t>(i)].get<double>(), expected[i],
                tolerance * expected[0]);
}

TEST(CliFit, M_A1_eigenvalues_of_iris_are_squared_singular_values) {
  const Json json = fit_json({});
  expect_spectrum(json, spectrum(features("iris.csv")));
  EXPECT_EQ(json["n_samples"], 150);
  EXPECT_EQ(json["n_features"], 4);
  EXPECT_EQ(json["n_components"], 4);
  EXPECT_EQ(json["feature_names"][2], "petal_length");
  for (const char* key :
       {"format_version", "method", "space", "kernel", "map", "centered", "scale", "ddof",
        "explained_variance", "explained_variance_ratio", "total_variance", "solver",
        "approximation", "seconds", "peak_memory_bytes"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"name", "passes", "residuals", "tolerance", "converged"})
    EXPECT_TRUE(json["solver"].contains(key)) << key;
}

TEST(CliFit, M_A5_every_solver_gives_the_same_spectrum) {
  const Eigen::VectorXd expected = spectrum(features("iris.csv"));
  for (const std::string solver : {"auto", "covariance", "gram", "svd"}) {
    const Json json = fit_json({"--solver", solver});
    expect_spectrum(json, expected);
    if (solver != "auto") {
      EXPECT_EQ(json["solver"]["name"], solver);
    }
  }
}

TEST(CliFit, M_A4_components_by_count_fraction_or_all) {
  const Eigen::VectorXd mu = spectrum(features("iris.csv"));
  EXPECT_EQ(fit_json({"-k", "1"})["n_components"], 1);
  EXPECT_EQ(fit_json({"--components", "3"})["n_components"], 3);
  EXPECT_EQ(fit_json({"-k", "all"})["n_components"], 4);
  ASSERT_LT(mu[0] / mu.sum(), 0.95);
  ASSERT_GT((mu[0] + mu[1]) / mu.sum(), 0.95);
  EXPECT_EQ(fit_json({"-k", "0.95"})["n_components"], 2);
  EXPECT_NEAR(fit_json({"-k", "1"})["total_variance"].get<double>(), mu.sum() / 149, 1e-10);
}

TEST(CliFit, ddof_divides_by_n_or_n_minus_one) {
  const Eigen::VectorXd mu = spectrum(features("iris.csv"));
  EXPECT_NEAR(fit_json({"--ddof", "1"})["explained_variance"][0].get<double>(), mu[0] / 149, 1e-10);
  EXPECT_NEAR(fit_json({"--ddof", "0"})["explained_variance"][0].get<double>(), mu[0] / 150, 1e-10);
}

TEST(CliFit, scale_std_works_on_z_scores) {
  Eigen::MatrixXd x = features("iris.csv");
  x.rowwise() -= x.colwise().mean().eval();
  x.array().rowwise() /= (x.colwise().norm() / std::sqrt(149.0)).array();
  const Json json = fit_json({"--scale", "std"});
  expect_spectrum(json, spectrum(x));
  EXPECT_EQ(json["scale"], "std");
  EXPECT_NEAR(json["total_variance"].get<double>(), 4, 1e-12);
}

TEST(CliFit, no_center_keeps_the_mean) {
  const Json json = fit_json({"--no-center"});
  expect_spectrum(json, spectrum(features("iris.csv"), false));
  EXPECT_EQ(json["centered"], false);
}

TEST(CliFit, float_is_float_to_its_precision) {
  const Json json = fit_json({"--precision", "float"});
  expect_spectrum(json, spectrum(features("iris.csv")), 1e-5);
  EXPECT_EQ(json["precision"], "float");
}

TEST(CliFit, M_P1_intervals_of_float_hold_the_eigenvalues_of_the_given_numbers) {
  const Json rounded = fit_json({"--precision", "float"}), exact = fit_json({});
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_LE(rounded["eigenvalue_intervals"][j][0], exact["eigenvalues"][j]);
    EXPECT_GE(rounded["eigenvalue_intervals"][j][1], exact["eigenvalues"][j]);
  }
}

TEST(CliFit, columns_and_exclude_choose_features) {
  const Eigen::MatrixXd x = features("iris.csv");
  Eigen::MatrixXd chosen(x.rows(), 2);
  chosen << x.col(0), x.col(3);
  const Eigen::VectorXd expected = spectrum(chosen);
  expect_spectrum(fit_json({"--columns", "sepal_length,petal_width"}), expected);
  expect_spectrum(fit_json({"--columns", "1,4"}), expected);
  expect_spectrum(fit_json({"--exclude", "2-3"}), expected);
}

TEST(CliFit, weights_count_rows_as_if_repeated) {
  const TempDir dir;
  const std::string repeated = dir.file("r.csv", "a,b\n1,2\n1,2\n3,1\n5,4\n5,4\n5,4\n");
  const std::string weighted = dir.file("w.csv", "a,times,b\n1,2,2\n3,1,1\n5,3,4\n");
  const auto a = mercer({"fit", repeated, "--json"});
  const auto b = mercer({"fit", weighted, "--weights", "times", "--json"});
  ASSERT_EQ(b.exit_code, 0) << b.err;
  const Json left = Json::parse(a.out), right = Json::parse(b.out);
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(left["explained_variance"][i].get<double>(),
                right["explained_variance"][i].get<double>(), 1e-12);
  EXPECT_EQ(right["n_features"], 2);
}

TEST(CliFit, missing_cells_dropped_or_taken_as_the_mean) {
  const TempDir dir;
  const std::string holes = dir.file("holes.csv", "a,b\n1,2\n3,\n5,7\nNA,1\n2,2\n");
  const std::string dropped = dir.file("dropped.csv", "a,b\n1,2\n5,7\n2,2\n");
  const std::string filled = dir.file("filled.csv", "a,b\n1,2\n3,3\n5,7\n2.75,1\n2,2\n");
  const auto variance = [](const auto& run) {
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json json = Json::parse(run.out);
    return std::pair(json["explained_variance"][0].get<double>(),
                     json["explained_variance"][1].get<double>());
  };
  const auto near = [](auto a, auto b) {
    EXPECT_NEAR(a.first, b.first, 1e-12);
    EXPECT_NEAR(a.second, b.second, 1e-12);
  };
  near(variance(mercer({"fit", holes, "--json", "--missing", "drop"})),
       variance(mercer({"fit", dropped, "--json"})));
  near(variance(mercer({"fit", holes, "--json", "--missing", "mean"})),
       variance(mercer({"fit", filled, "--json"})));
  const auto words = mercer({"fit", holes, "--missing", "drop"});
  EXPECT_THAT(words.out, testing::HasSubstr("2 rows with missing values dropped"));
}

TEST(CliFit, delimiters_by_character_and_by_name) {
  const TempDir dir;
  const std::string expected =
      mercer({"fit", dir.file("c.csv", "a,b\n1,2\n3,1\n5,4\n"), "--scores", "-", "-q"}).out;
  ASSERT_NE(expected, "");
  const auto same = [&](const std::string& file, const std::string& delimiter) {
    const auto run = mercer({"fit", file, "--delimiter", delimiter, "--scores", "-", "-q"});
    EXPECT_EQ(run.out, expected) << delimiter << run.err;
  };
  const std::string semicolons = dir.file("s.csv", "a;b\n1;2\n3;1\n5;4\n");
  same(semicolons, ";");
  same(semicolons, "semicolon");
  const std::string tabs = dir.file("t.csv", "a\tb\n1\t2\n3\t1\n5\t4\n");
  same(tabs, "\t");
  same(tabs, "\\t");
  same(tabs, "tab");
  same(dir.file("p.csv", "a|b\n1|2\n3|1\n5|4\n"), "pipe");
  same(dir.file("b.csv", "a b\n1 2\n3 1\n5 4\n"), "space");
  same(dir / "c.csv", "comma");
}

TEST(CliFit, header_can_be_forced_either_way) {
  const TempDir dir;
  const std::string years = dir.file("y.csv", "2001,2002\n1,2\n3,1\n5,4\n");
  EXPECT_EQ(Json::parse(mercer({"fit", years, "--json"}).out)["n_samples"], 4);
  const Json with = Json::parse(mercer({"fit", years, "--json", "--header", "yes"}).out);
  EXPECT_EQ(with["n_samples"], 3);
  EXPECT_EQ(with["feature_names"], Json({"2001", "2002"}));
  expect_error(mercer({"fit", dir.file("h.csv", "a,b\n1,2\n3,1\n"), "--header", "no"}), 1,
               {"line 1", "'a'"});
}

TEST(CliFit, format_overrides_the_extension) {
  const TempDir dir;
  const std::string file =
      dir.file("rows.bin", npy(10, 2, [](long i, long j) { return i * (j + 1.0) + (i * i) % 5; }));
  expect_error(mercer({"fit", file}), 2, {"rows.bin", "--format"});
  const auto run = mercer({"fit", file, "--format", "npy", "--json"});
  EXPECT_EQ(Json::parse(run.out)["n_samples"], 10) << run.err;
}

TEST(CliFit, standard_input_gz_and_threads_change_nothing) {
  const TempDir dir;
  const std::string iris = slurp(data_file("iris.csv"));
  const std::string expected =
      mercer({"fit", data_file("iris.csv"), "--label", "species", "--scores", "-", "-q"}).out;
  ASSERT_EQ(cells(expected).size(), 151u);
  EXPECT_EQ(mercer({"fit", "-", "--label", "species", "--scores", "-", "-q"}, {.input = iris}).out,
            expected);
  ASSERT_EQ(run({"sh", "-c",
                 "gzip -c < '" + data_file("iris.csv") + "' > '" + (dir / "iris.csv.gz") + "'"})
                .exit_code,
            0);
  EXPECT_EQ(mercer({"fit", dir / "iris.csv.gz", "--label", "species", "--scores", "-", "-q"}).out,
            expected);
  for (const std::string threads : {"1", "2", "7"})
    expect_near(mercer({"fit", data_file("iris.csv"), "--label", "species", "--scores", "-", "-q",
                        "--threads", threads, "--seed", "3"})
                    .out,
                expected, 1e-12);
}

TEST(CliFit, sparse_rows_fit_like_dense_ones) {
  const TempDir dir;
  const std::string dense = dir.file("d.csv", "1,0,2\n0,3,0\n4,0,0\n0,0,5\n");
  const std::string svm = dir.file("d.svm", "0 1:1 3:2\n0 2:3\n1 1:4\n1 3:5\n");
  const std::string mtx = dir.file("d.mtx",
                                   "%%MatrixMarket matrix coordinate real general\n4 3 5\n"
                                   "1 1 1\n1 3 2\n2 2 3\n3 1 4\n4 3 5\n");
  const std::string expected = mercer({"fit", dense, "--scores", "-", "-q"}).out;
  ASSERT_NE(expected, "");
  const auto b = mercer({"fit", mtx, "--scores", "-", "-q"});
  expect_near(b.out, expected, 1e-12);
  const auto c = mercer({"fit", svm, "--scores", "-", "-q", "-o", dir / "m.st"});
  ASSERT_EQ(c.exit_code, 0) << c.err;
  const auto scores = cells(c.out);
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_NEAR(number(scores[i].back()), number(cells(expected)[i].back()), 1e-12);
}

TEST(CliFit, summary_tells_what_was_found_in_words) {
  const auto run = mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "--scale", "std"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words :
       {"178 rows x 13 columns", "z-scores", "label cultivar (3 classes)", "covariance",
        "eigenvalue", "ratio", "PC13", "36.20 %", "100.00 %", "+0.42 flavanoids", "barolo 59",
        "grignolino 71", "barbera 48", "PC1 36.2 %", "PC2 19.2 %"})
    EXPECT_THAT(run.out, testing::HasSubstr(words));
}

TEST(CliFit, quiet_json_and_no_plot_say_less) {
  const std::vector<std::string> fit = {"fit", data_file("iris.csv"), "--label", "species"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), fit.begin(), fit.end());
    return mercer(flags);
  };
  EXPECT_EQ(with({"--quiet"}).out, "");
  EXPECT_EQ(with({"-q"}).err, "");
  const auto plain = with({"--no-plot"});
  EXPECT_THAT(plain.out, testing::HasSubstr("eigenvalue"));
  EXPECT_THAT(plain.out, testing::Not(testing::HasSubstr("setosa")));
  EXPECT_THAT(with({}).out, testing::HasSubstr("setosa"));
}

TEST(CliFit, words_leave_standard_output_to_the_data) {
  const auto run = mercer({"fit", data_file("iris.csv"), "--label", "species", "--scores", "-"});
  EXPECT_TRUE(run.out.starts_with("species,pc1,pc2,pc3,pc4\nsetosa,"));
  EXPECT_EQ(cells(run.out).size(), 151u);
  EXPECT_THAT(run.err, testing::HasSubstr("eigenvalue"));
}

TEST(CliFit, model_goes_to_standard_output_too) {
  const TempDir dir;
  const auto run = mercer({"fit", data_file("iris.csv"), "--label", "species", "-q", "-o", "-"});
  const std::string file = dir.file("m.st", run.out);
  EXPECT_EQ(mercer({"inspect", file}).exit_code, 0);
}

TEST(CliFit, one_component_is_drawn_as_strips) {
  const auto run = mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "1"});
  EXPECT_THAT(run.out, testing::HasSubstr("setosa     |"));
  EXPECT_THAT(run.out, testing::HasSubstr("PC1 92.5 %"));
}

TEST(CliFit, many_labels_share_one_mark) {
  const TempDir dir;
  std::string csv = "x,y,name\n";
  for (int i = 0; i < 60; ++i)
    csv += std::to_string(i % 7) + "," + std::to_string(i % 5) + ",kind" + std::to_string(i % 30) +
           "\n";
  const auto run = mercer({"fit", dir.file("many.csv", csv), "--label", "name"});
  EXPECT_THAT(run.out, testing::HasSubstr("(30 classes)"));
  EXPECT_THAT(run.out, testing::HasSubstr(". other 42"));
}

TEST(CliFit, names_from_a_file_cannot_speak_to_the_terminal) {
  const TempDir dir;
  const auto run =
      mercer({"fit", dir.file("evil.csv", "\x1b[31mred,b,c\n1,2,\x1b]0;x\n3,1,y\n5,4,z\n"),
              "--label", "c"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
}

}  // namespace mercer::test::fit_test
