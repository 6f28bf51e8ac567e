// Everything that can be wrong with what a user gives us: an exit code, one line that helps, and
// nothing written.

#include "cli/support.hpp"

#include <nlohmann/json.hpp>

namespace mercer::test::bad_input_test {

class BadInput : public testing::Test {
 protected:
  /// Fits with both outputs, expects the error and that the folder is as it was.
  void expect_fit_fails(const std::string& data, std::vector<std::string> flags, int code,
                        const std::vector<std::string>& words) {
    dir.file("model.st", "old model");
    dir.file("scores.csv", "old scores");
    const auto before = dir.list();
    std::vector<std::string> arguments = {
        "fit", data, "-o", dir / "model.st", "--scores", dir / "scores.csv"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expect_error(mercer(arguments), code, words);
    EXPECT_EQ(dir.list(), before);
    EXPECT_EQ(slurp(dir / "model.st"), "old model");
    EXPECT_EQ(slurp(dir / "scores.csv"), "old scores");
  }
  void expect_fit_fails(const std::string& data, int code, const std::vector<std::string>& words) {
    expect_fit_fails(data, {}, code, words);
  }

  std::string iris_model() {
    const std::string path = dir / "iris.st";
    const auto run =
        mercer({"fit", data_file("iris.csv"), "--label", "species", "-k", "2", "-q", "-o", path});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return path;
  }

  /// Every command that loads a model refuses this one and writes nothing.
  void expect_model_refused(const std::string& model, const std::vector<std::string>& words) {
    const auto before = dir.list();
    expect_error(mercer({"inspect", model}), 1, words);
    expect_error(mercer({"transform", model, data_file("iris.csv"), "-o", dir / "out.csv"}), 1,
                 words);
    expect_error(mercer({"inverse", model, data_file("iris.csv"), "-o", dir / "out.csv"}), 1,
                 words);
    EXPECT_EQ(dir.list(), before);
  }

  TempDir dir;
};

TEST_F(BadInput, M_P8_missing_file) {
  expect_fit_fails(dir / "none.csv", 1, {"none.csv", "No such file"});
}

TEST_F(BadInput, M_P8_unreadable_file) {
  expect_fit_fails(dir.path(), 1, {dir.path(), "is a directory"});
  std::filesystem::create_symlink("nowhere.csv", dir / "dangling.csv");
  expect_fit_fails(dir / "dangling.csv", 1, {"dangling.csv", "No such file"});
}

TEST_F(BadInput, M_P8_empty_file) {
  expect_fit_fails(dir.file("empty.csv", ""), 1, {"empty.csv", "empty"});
  expect_fit_fails(dir.file("empty.npy", ""), 1, {"empty.npy"});
}

TEST_F(BadInput, M_P8_header_only) {
  expect_fit_fails(dir.file("header.csv", "a,b\n"), 1, {"header.csv", "no rows"});
}

TEST_F(BadInput, M_P8_one_row) {
  expect_fit_fails(dir.file("one.csv", "a,b\n1,2\n"), 1, {"one.csv", "one row"});
}

TEST_F(BadInput, M_P8_ragged_row) {
  expect_fit_fails(dir.file("ragged.csv", "a,b\n1,2\n3,4,5\n6,7\n"), 1, {"ragged.csv", "line 3"});
}

TEST_F(BadInput, M_P8_text_in_a_numeric_column) {
  expect_fit_fails(dir.file("text.csv", "a,b\n1,2\n3,4\n5,six\n"), 1,
                   {"text.csv", "line 4", "'b'", "'six'", "--exclude b"});
  expect_fit_fails(data_file("iris.csv"), 1, {"line 2", "'species'", "--label species"});
}

TEST_F(BadInput, M_P8_missing_cells) {
  expect_fit_fails(dir.file("nan.csv", "a,b\n1,2\n3,\n5,6\n7,NaN\n"), 1,
                   {"nan.csv", "line 3", "'b'", "2 in total", "--missing"});
}

TEST_F(BadInput, M_P8_infinity) {
  for (const std::string flag : {"error", "drop", "mean"})
    expect_fit_fails(dir.file("inf.csv", "a,b\n1,2\n3,-inf\n5,6\n"), {"--missing", flag}, 1,
                     {"inf.csv", "line 3", "'b'", "infinite"});
}

TEST_F(BadInput, M_P8_binary_garbage) {
  std::string noise;
  unsigned state = 12345;
  for (int i = 0; i < 5000; ++i)
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (const std::string name : {"g.csv", "g.tsv", "g.npy", "g.mtx", "g.svm", "g.csv.gz"})
    expect_fit_fails(dir.file(name, noise), 1, {name});
}

TEST_F(BadInput, M_P8_truncated_npy) {
  const std::string whole =
      npy(100, 4, [](long i, long j) { return static_cast<double>(i * j % 7); });
  for (const std::size_t size : {7ul, 60ul, 128ul, 1000ul, whole.size() - 1})
    expect_fit_fails(dir.file("cut.npy", whole.substr(0, size)), 1, {"cut.npy"});
}

TEST_F(BadInput, M_P8_wrong_feature_count_at_transform) {
  const std::string model = iris_model();
  const std::string three = dir.file("three.csv", "1,2,3\n4,5,6\n");
  const auto before = dir.list();
  expect_error(mercer({"transform", model, three, "-o", dir / "out.csv"}), 1,
               {"three.csv", "3 feature columns", "iris.st", "4"});
  EXPECT_EQ(dir.list(), before);
}

TEST_F(BadInput, M_P8_renamed_column_at_transform) {
  const std::string model = iris_model();
  const std::string data =
      dir.file("new.csv", "sepal_length,sepal_width,petal_lenght,petal_width\n5.1,3.5,1.4,0.2\n");
  const auto before = dir.list();
  expect_error(mercer({"transform", model, data, "-o", dir / "out.csv"}), 1,
               {"new.csv", "'petal_length'", "did you mean 'petal_lenght'", "--columns"});
  EXPECT_EQ(dir.list(), before);
}

TEST_F(BadInput, M_P8_label_that_is_asked_for_and_absent_at_transform) {
  const std::string model = iris_model();
  expect_error(mercer({"transform", model, data_file("iris.csv"), "--label", "colour"}), 2,
               {"--label 'colour'", "iris.csv", "no such column"});
}

TEST_F(BadInput, M_P8_k_too_large) {
  expect_fit_fails(data_file("iris.csv"), {"--label", "species", "-k", "5"}, 2,
                   {"5", "150 rows", "4 columns"});
}

TEST_F(BadInput, M_P8_k_zero_negative_or_no_number) {
  for (const std::string k : {"0", "-2", "0.0", "1.0", "1.5", "-0.5", "ten", "3x", "nan", "1e300"})
    expect_fit_fails(data_file("iris.csv"), {"--label", "species", "-k", k}, 2,
                     {"--components '" + k + "'", "(see mercer fit --help)"});
}

TEST_F(BadInput, M_P8_file_that_is_not_a_model) {
  expect_model_refused(data_file("iris.csv"), {"iris.csv", "not a Mercer model"});
  expect_model_refused(dir.file("empty.st", ""), {"empty.st"});
  expect_model_refused(dir / "none.st", {"none.st", "No such file"});
}

TEST_F(BadInput, M_P8_truncated_model) {
  const std::string whole = slurp(iris_model());
  for (const std::size_t size : {1ul, 8ul, 50ul, whole.size() / 2, whole.size() - 1})
    expect_model_refused(dir.file("cut.st", whole.substr(0, size)), {"cut.st"});
}

TEST_F(BadInput, M_P8_bit_flipped_model) {
  const std::string whole = slurp(iris_model());
  for (const std::size_t at :
       {std::size_t{3}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    expect_model_refused(dir.file("flip.st", damaged), {"flip.st"});
  }
}

TEST_F(BadInput, M_P8_model_of_a_future_version) {
  std::string model = slurp(iris_model());
  const std::string field = "\"format_version\":\"2\"";
  const std::size_t at = model.find(field);
  ASSERT_NE(at, std::string::npos);
  model[at + field.size() - 2] = '9';
  expect_model_refused(dir.file("future.st", model), {"future.st", "9", "newer"});
}

TEST_F(BadInput, M_P8_numbers_that_count_up_are_names) {
  const auto features = [&](const std::string& file, std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", file, "--json", "--no-plot"});
    const auto run = mercer(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return std::pair(nlohmann::json::parse(run.out), run.err);
  };
  const std::string frame =
      dir.file("df0.csv", "0,1,2,3\n5,1,7,2\n4,2,6,9\n8,8,1,2\n3,9,4,4\n6,5,2,7\n");
  const auto [json, note] = features(frame, {});
  EXPECT_EQ(json.at("n_samples"), 5);
  EXPECT_EQ(json.at("feature_names"), (std::vector<std::string>{"0", "1", "2", "3"}));
  for (const char* word : {"mercer: note: the first line of", "df0.csv", "--header no"})
    EXPECT_THAT(note, testing::HasSubstr(word));
  EXPECT_EQ(features(frame, {"--header", "no"}).first.at("n_samples"), 6);
  const std::string years =
      dir.file("years.csv", "name,2019,2020,2021\nA,1.5,2,3.5\nB,2,2.5,1\nC,4,1,0.5\nD,1,0,2.25\n");
  EXPECT_EQ(features(years, {"--id", "1"}).first.at("n_samples"), 4);
  // Rows that happen to count up, and rows that all do, are rows.
  const std::string whole = dir.file("whole.csv", "1,2\n5,3\n2,9\n4,4\n");
  EXPECT_EQ(features(whole, {}).first.at("n_samples"), 4);
  const std::string all = dir.file("all.csv", "1,2,3,4\n2,3,4,5\n0,5,1,1\n4,3,3,8\n");
  EXPECT_EQ(features(all, {}).second, "");
  // And a model finds such names again.
  ASSERT_EQ(mercer({"fit", frame, "-q", "-o", dir / "m.st"}).exit_code, 0);
  const auto scores = mercer({"transform", dir / "m.st", frame, "-q"});
  EXPECT_EQ(cells(scores.out).size(), 1u + 5) << scores.err;
}

}  // namespace mercer::test::bad_input_test
