#include "cli/support.hpp"

namespace mercer::test::transform_test {

class CliTransform : public testing::Test {
 protected:
  void SetUp() override {
    const auto run = mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "3", "-q",
                             "-o", model, "--scores", training});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }

  std::string scores_of(const std::string& csv, std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"transform", model, "-"});
    const auto run = mercer(flags, {.input = csv});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }

  /// Iris with its columns in another order, and one column more.
  static std::string shuffled(const std::vector<std::size_t>& order, bool extra) {
    std::string out;
    const auto rows = cells(slurp(data_file("iris.csv")));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (extra) out += i == 0 ? "note," : "some text,";
      for (const std::size_t j : order) out += rows[i][j] + ",";
      out.back() = '\n';
    }
    return out;
  }

  TempDir dir;
  std::string model = dir / "iris.st";
  std::string training = dir / "training.csv";
};

TEST_F(CliTransform, M_P2_scores_that_keep_few_digits_come_with_a_note) {
  const std::string flat = dir / "flat.st", data = data_file("iris.csv");
  auto run = mercer({"fit", data, "--label", "species", "-k", "2", "-q", "--kernel",
                     "rational_quadratic(length=1e5)", "-o", flat});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto note = testing::HasSubstr("mercer: note: scores of new rows have errors of up to");
  EXPECT_THAT(mercer({"transform", flat, data}).err, note);
  EXPECT_THAT(mercer({"transform", flat, data, "-q"}).err, testing::Not(note));
  EXPECT_THAT(mercer({"transform", model, data}).err, testing::Not(note));
  run = mercer({"score", flat, data, "--json"});
  EXPECT_THAT(run.err, note);
  EXPECT_THAT(run.out, testing::HasSubstr("\"lost_digits\": \"scores of new rows"));
  EXPECT_THAT(mercer({"score", model, data, "--json"}).out,
              testing::HasSubstr("\"lost_digits\": null"));
  // A model of doubles that keeps half of their digits does not keep half of those of floats.
  const std::string narrow = dir / "narrow.st";
  run = mercer({"fit", data, "--label", "species", "-k", "20", "-q", "--kernel", "rbf(gamma=0.1)",
                "-o", narrow});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(mercer({"transform", narrow, data}).err, testing::Not(note));
  EXPECT_THAT(mercer({"transform", narrow, data, "--precision", "float"}).err, note);
}

TEST_F(CliTransform, training_rows_get_their_training_scores) {
  EXPECT_EQ(scores_of(slurp(data_file("iris.csv"))), slurp(training));
}

TEST_F(CliTransform, columns_are_found_by_name_in_any_order) {
  EXPECT_EQ(scores_of(shuffled({3, 1, 4, 0, 2}, false)), slurp(training));
}

TEST_F(CliTransform, columns_the_model_does_not_know_are_ignored) {
  EXPECT_EQ(scores_of(shuffled({0, 1, 2, 3, 4}, true)), slurp(training));
  EXPECT_EQ(scores_of(shuffled({4, 3, 2, 1, 0}, true)), slurp(training));
}

TEST_F(CliTransform, label_may_be_absent) {
  const auto with = cells(slurp(training));
  const auto without = cells(scores_of(shuffled({2, 3, 0, 1}, false)));
  ASSERT_EQ(without[0], (std::vector<std::string>{"pc1", "pc2", "pc3"}));
  ASSERT_EQ(without.size(), with.size());
  for (std::size_t i = 1; i < with.size(); ++i)
    EXPECT_EQ(without[i], std::vector<std::string>(with[i].begin() + 1, with[i].end()));
}

TEST_F(CliTransform, another_label_can_be_carried) {
  const auto rows = cells(scores_of(shuffled({0, 1, 2, 3, 4}, true), {"--label", "note"}));
  EXPECT_EQ(rows[0][0], "note");
  EXPECT_EQ(rows[150][0], "some text");
}

TEST_F(CliTransform, rows_without_names_go_by_position) {
  const auto all = cells(slurp(data_file("iris.csv")));
  std::string csv;
  for (std::size_t i = 1; i < all.size(); ++i)
    csv += all[i][0] + "," + all[i][1] + "," + all[i][2] + "," + all[i][3] + "\n";
  const auto scores = cells(scores_of(csv)), expected = cells(slurp(training));
  ASSERT_EQ(scores.size(), expected.size());
  EXPECT_EQ(scores[77][2], expected[77][3]);
}

TEST_F(CliTransform, explicit_columns_override_the_names) {
  std::string csv = slurp(data_file("iris.csv"));
  csv.replace(0, csv.find('\n'), "a,b,c,d,e");
  const auto scores = cells(scores_of(csv, {"--columns", "1-4", "--label", "e"}));
  const auto expected = cells(slurp(training));
  EXPECT_EQ(scores[0][0], "e");
  EXPECT_EQ(scores[100], expected[100]);
}

TEST_F(CliTransform, ids_and_labels_keep_their_quotes) {
  const std::string data = dir.file(
      "q.csv", "id,a,b,kind\n\"x,1\",1,2,\"say \"\"hi\"\"\"\ny,3,1,plain\nz,5,4,\"two\nlines\"\n");
  const auto fit =
      mercer({"fit", data, "--id", "id", "--label", "kind", "-k", "1", "-q", "-o", dir / "q.st"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto run = mercer({"transform", dir / "q.st", data});
  EXPECT_TRUE(run.out.starts_with("id,kind,pc1\n\"x,1\",\"say \"\"hi\"\"\","))
      << run.out << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("\nz,\"two\nlines\","));
}

TEST_F(CliTransform, output_follows_the_extension) {
  const std::string iris = data_file("iris.csv");
  ASSERT_EQ(mercer({"transform", model, iris, "-o", dir / "s.tsv"}).exit_code, 0);
  std::string tabs = slurp(training);
  std::replace(tabs.begin(), tabs.end(), ',', '\t');
  EXPECT_EQ(slurp(dir / "s.tsv"), tabs);
  ASSERT_EQ(mercer({"transform", model, iris, "--output", dir / "s.npy"}).exit_code, 0);
  const std::string bytes = slurp(dir / "s.npy");
  EXPECT_TRUE(bytes.starts_with("\x93NUMPY"));
  EXPECT_THAT(bytes.substr(0, 128), testing::HasSubstr("(150, 3)"));
  double first = 0;
  std::copy_n(bytes.data() + bytes.size() - 150 * 3 * 8, 8, reinterpret_cast<char*>(&first));
  EXPECT_EQ(first, number(cells(slurp(training))[1][1]));
}

TEST_F(CliTransform, precision_is_the_models_unless_asked_otherwise) {
  const std::string iris = slurp(data_file("iris.csv"));
  const std::string in_float = scores_of(iris, {"--precision", "float"});
  EXPECT_NE(in_float, slurp(training));
  expect_near(in_float, slurp(training), 1e-5);
  ASSERT_EQ(mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "3", "-q", "-o",
                    model, "--precision", "float", "--scores", training})
                .exit_code,
            0);
  EXPECT_EQ(scores_of(iris), slurp(training));
}

TEST_F(CliTransform, missing_cells_can_be_the_models_mean) {
  const std::string header = "sepal_length,sepal_width,petal_length,petal_width\n";
  expect_error(mercer({"transform", model, "-"}, {.input = header + ",,,\n"}), 1,
               {"line 2", "--missing"});
  const auto rows = cells(scores_of(header + ",,,\n", {"--missing", "mean"}));
  for (const std::string& cell : rows[1]) EXPECT_NEAR(number(cell), 0, 1e-12);
  const auto run =
      mercer({"transform", model, "-", "--missing", "drop"}, {.input = header + ",,,\n5,3,1,0\n"});
  EXPECT_EQ(cells(run.out).size(), 2u);
  EXPECT_EQ(run.err, "mercer: note: 1 row with missing values dropped\n");
}

TEST_F(CliTransform, the_model_may_come_through_a_pipe) {
  const std::string iris = data_file("iris.csv");
  const auto plain = mercer({"transform", model, iris, "--label", "species"});
  const auto piped = run({"bash", "-c", "\"$0\" transform <(cat \"$1\") \"$2\" --label species",
                          mercer_program(), model, iris});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(piped.out, plain.out);
  const auto inspected =
      run({"bash", "-c", "\"$0\" inspect <(cat \"$1\") --json", mercer_program(), model});
  EXPECT_EQ(inspected.out, mercer({"inspect", model, "--json"}).out) << inspected.err;
}

TEST_F(CliTransform, no_rows_give_no_scores) {
  expect_error(mercer({"transform", model, "-"}, {.input = ""}), 1, {"standard input", "empty"});
}

TEST_F(CliTransform, sparse_rows_may_end_before_the_models_last_column) {
  const std::string train = dir.file("t.svm", "0 1:1 4:2\n1 2:3 3:1\n0 1:4\n1 3:5 4:1\n");
  ASSERT_EQ(mercer({"fit", train, "-k", "2", "-q", "-o", dir / "s.st"}).exit_code, 0);
  const auto dense =
      mercer({"transform", dir / "s.st", "-", "--header", "no"}, {.input = "1,2,0,0\n0,0,0,0\n"});
  const auto sparse =
      mercer({"transform", dir / "s.st", dir.file("n.svm", "0 1:1 2:2\n1\n"), "-o", "-"});
  ASSERT_EQ(dense.exit_code, 0) << dense.err;
  ASSERT_EQ(sparse.exit_code, 0) << sparse.err;
  const auto a = cells(dense.out), b = cells(sparse.out);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 1; i < a.size(); ++i)
    EXPECT_NEAR(number(a[i].back()), number(b[i].back()), 1e-12);
}

TEST_F(CliTransform, M_G5_several_files_are_one_table) {
  const std::string text = slurp(data_file("iris.csv"));
  const std::size_t header = text.find('\n') + 1, half = text.find('\n', text.size() / 2) + 1;
  const std::string first = dir.file("1.csv", text.substr(0, half)),
                    second = dir.file("2.csv", text.substr(0, header) + text.substr(half));
  const auto scores = mercer({"transform", model, first, second});
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_EQ(scores.out, slurp(training));
  const auto whole = mercer({"score", model, data_file("iris.csv"), "--json", "--flag", "0.9"});
  const auto parts = mercer({"score", model, first, second, "--json", "--flag", "0.9"});
  EXPECT_EQ(parts.exit_code, 0) << parts.err;
  EXPECT_EQ(parts.out, whole.out);
  const auto summary = mercer({"score", model, first, second});
  EXPECT_EQ(summary.out.substr(0, summary.out.find("  ")), first + " and 1 more");
}

TEST_F(CliTransform, M_G5_memory_changes_no_digit_of_a_score) {
  std::string rows = "sepal_length,sepal_width,petal_length,petal_width\n";
  for (int i = 0; i < 30000; ++i)
    rows += std::to_string(i % 97) + "," + std::to_string(i % 89) + "," + std::to_string(i % 83) +
            "," + std::to_string(i % 79) + "\n";
  const std::string many = dir.file("many.csv", rows);
  const auto small =
      mercer({"score", model, many, "--json", "--columns", "1-4", "--memory", "32MiB"});
  const auto large =
      mercer({"score", model, many, "--json", "--columns", "1-4", "--memory", "1GiB"});
  EXPECT_EQ(small.exit_code, 0) << small.err;
  EXPECT_EQ(small.out, large.out);
}

}  // namespace mercer::test::transform_test
