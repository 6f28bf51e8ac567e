// Whole runs: rows in, model, trace and theory out; stopped and resumed.

#include "learn/learning.hpp"
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <mercer/fit.hpp>
#include <mercer/learn.hpp>
#include <mercer/picture.hpp>

#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace mercer::test::learn_test {

TEST(Learn, M_E4_gha_finds_the_components_in_order) {
  const Matrix<double> x = cloud(500);
  const auto exact = fit(x, {.components = 3});
  LearnOptions options = gha(3);
  options.epochs = 60;
  const Learned learned = learn(Rows<double>(x), options);
  EXPECT_TRUE(learned.shuffled);
  EXPECT_EQ(learned.rows, 60 * 500);
  for (Index j = 0; j < 3; ++j) {
    // Gaps are a third of λ₁ or more, and the rate has fallen for 30000 steps.
    EXPECT_LT(degrees_between(learned.model.components().row(j), exact.components().row(j)), 2);
    EXPECT_NEAR(learned.model.explained_variance()[j], exact.explained_variance()[j],
                0.05 * exact.explained_variance()[0]);
  }
  EXPECT_LT((learned.model.mean() - exact.mean()).norm(), 0.05);
}

TEST(Learn, M_E3_output_variance_tends_to_the_first_eigenvalue) {
  const Matrix<double> x = cloud(400, 0);
  LearnOptions options = gha(1);
  options.learner.rule = "oja";
  options.epochs = 60;
  options.theory = true;
  const Learned learned = learn(Rows<double>(x), options);
  const double lambda = learned.theory->eigenvalues[0];
  EXPECT_NEAR(lambda, 9.0 * 399 / 400, 1e-9);  // deviations are over N−1, R is over N
  EXPECT_NEAR(learned.trace.back().output_variance, lambda, 0.05 * lambda);
  EXPECT_NEAR(learned.trace.back().rayleigh, lambda, 0.01 * lambda);
  EXPECT_NEAR(learned.trace.back().norm, 1, 0.02);
  EXPECT_LT(learned.theory->angles[0], 2);
}

TEST(Learn, M_E7_the_gap_to_the_ode_falls_with_the_root_of_the_rate) {
  // To the same time t = 4: the gap is a random walk of t/η steps of size η, so gap² ~ η.
  Vector<double> log_eta(4), log_gap(4);
  const double etas[] = {0.04, 0.02, 0.01, 0.005};
  for (Index i = 0; i < 4; ++i) {
    double square = 0;
    constexpr int seeds = 24;
    for (int seed = 1; seed <= seeds; ++seed) {
      Random random(static_cast<std::uint64_t>(100 * i + seed));
      Matrix<double> x = random.normal(std::lround(4 / etas[i]), 3);
      x.col(1) *= 0.7;
      x.col(2) *= 0.4;
      LearnOptions options = gha(1);
      options.learner.rule = "oja";
      options.learner.rate = Rate::constant(etas[i]);
      options.learner.centre = LearnedMean::none;
      options.learner.seed = static_cast<std::uint64_t>(seed);
      options.epochs = 1;
      options.theory = true;
      const double gap = learn(Rows<double>(x), options).theory->mean_gap;
      square += gap * gap / seeds;
    }
    log_eta[i] = std::log(etas[i]);
    log_gap[i] = std::log(square);
  }
  const Vector<double> centred = log_eta.array() - log_eta.mean();
  const double order = centred.dot(log_gap) / centred.squaredNorm();
  // 24 seeds at 4 rates: the order is known to about 0.1.
  EXPECT_NEAR(order, 1, 0.3);
}

TEST(Learn, M_E8_the_distance_from_the_ode_does_not_count_signs) {
  const Matrix<double> x = cloud(300);
  int opposite = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    LearnOptions options = gha(2);
    options.learner.seed = seed;
    options.learner.rate = Rate::parse("power(c=0.2,t0=20)");
    options.epochs = 40;
    options.theory = true;
    const Learned learned = learn(Rows<double>(x), options);
    for (const TraceRow::Mode& mode : learned.trace.back().modes)
      opposite += mode.theta * mode.ode_theta < 0;
    // A neuron on the other side of 0 would count 2.
    EXPECT_LT(learned.theory->last_gap, 1) << seed;
  }
  EXPECT_GT(opposite, 0);  // without them the test tests nothing
}

TEST(Learn, M_T7_with_a_limit_the_rate_1_over_n_finds_the_direction_of_wine) {
  // The numbers of docs/learning.md.
  const Matrix<double> x = read<double>(data_file("wine.csv"), {.label = "cultivar"}).x;
  for (const auto& [epochs, degrees] : {std::pair{100, 0.021}, {200, 0.004}})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      LearnOptions options{.learner = {.rule = "oja", .rate = Rate::parse("1/n"), .limit = 1},
                           .epochs = epochs,
                           .scale = Scale::std,
                           .theory = true};
      options.learner.seed = seed;
      EXPECT_LT(learn(Rows<double>(x), options).theory->angles[0], degrees) << epochs << seed;
    }
}

TEST(Learn, M_T7_a_rule_without_a_bound_has_no_lyapunov_function_in_its_trace) {
  const Matrix<double> x = cloud(50);
  for (const bool theory : {false, true})
    for (const char* rule : {"hebb", "oja"}) {
      LearnOptions options = gha(1);
      options.learner.rule = rule;
      options.learner.rate = Rate::parse("constant(1e-6)");  // it hardly grows
      options.epochs = 1;
      options.theory = theory;
      const Learned learned = learn(Rows<double>(x), options);
      ASSERT_FALSE(learned.trace.empty());
      for (const TraceRow& row : learned.trace)
        EXPECT_EQ(std::isnan(row.lyapunov), std::string(rule) == "hebb") << rule << theory;
      EXPECT_EQ(run_svg(learned.trace).find("Lyapunov") == std::string::npos,
                std::string(rule) == "hebb");
    }
}

TEST(Learn, M_E8_the_trace_holds_run_and_theory) {
  const Matrix<double> x = cloud(300);
  for (const char* rule : {"oja", "gha", "hebb-normalized", "block-oja", "ccipca"}) {
    LearnOptions options =
        gha(std::string(rule) == "gha" || std::string(rule) == "block-oja" ? 2 : 1);
    options.learner.rule = rule;
    options.epochs = 2;
    options.theory = true;
    options.trace_every = 10;
    std::vector<TraceRow> rows;
    options.trace.row = [&](const TraceRow& row) { rows.push_back(row); };
    const Learned learned = learn(Rows<double>(x), options);
    ASSERT_EQ(rows.size(), 60u) << rule;
    const Index k = options.learner.components;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TraceRow& row = rows[i];
      EXPECT_EQ(row.step, static_cast<std::int64_t>(10 * (i + 1)));
      ASSERT_EQ(row.modes.size(), k == 1 ? 4u : 2u) << rule;
      EXPECT_EQ(trace_values(row).size(), trace_columns(k == 1 ? 4 : 2, k, row.ode).size());
      EXPECT_NEAR(row.lyapunov, std::pow(row.modes[0].theta * row.modes[0].theta - 1, 2), 1e-12);
      // cos of the angle is θ₁/‖w‖.
      EXPECT_NEAR(std::cos(row.modes[0].angle / 57.29577951308232),
                  std::abs(row.modes[0].theta) / row.norm, 1e-9);
      EXPECT_EQ(row.modes[0].alpha, 1);
      EXPECT_EQ(row.ode, std::string(rule) != "ccipca");
    }
    EXPECT_EQ(learned.trace.size(), 60u);
    EXPECT_EQ(std::isnan(learned.theory->mean_gap), std::string(rule) == "ccipca");
  }
}

TEST(Learn, M_E7_theory_is_about_the_mean_that_the_learner_uses) {
  const Matrix<double> x = cloud(80, 2);
  const Eigen::RowVectorXd known = Eigen::RowVector4d(1, 0, -2, 0.5);
  for (const LearnedMean centre : {LearnedMean::running, LearnedMean::none, LearnedMean::known}) {
    LearnOptions options = gha(4);
    options.epochs = 1;
    options.theory = true;
    options.learner.centre = centre;
    if (centre == LearnedMean::known) options.learner.mean = known.transpose();
    const Eigen::RowVectorXd origin = centre == LearnedMean::running ? x.colwise().mean().eval()
                                      : centre == LearnedMean::none
                                          ? Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(4))
                                          : known;
    const Eigen::MatrixXd moved = x.rowwise() - origin;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moved.transpose() * moved / 80);
    const Learned learned = learn(Rows<double>(x), options);
    EXPECT_LT((learned.theory->eigenvalues - solver.eigenvalues().reverse()).norm(), 1e-10);
  }
}

TEST(Learn, M_E8_columns_of_the_trace_have_the_names_of_the_contract) {
  EXPECT_EQ(trace_columns(0, 3),
            (std::vector<std::string>{"step", "time", "eta", "norm", "output_variance", "rayleigh",
                                      "lyapunov"}));
  const auto names = trace_columns(2, 2);
  EXPECT_EQ((std::vector<std::string>(names.begin() + 7, names.begin() + 13)),
            (std::vector<std::string>{"theta_1", "ode_theta_1", "angle_1", "theta_2", "ode_theta_2",
                                      "angle_2"}));
}

TEST(Learn, a_long_trace_is_thinned_and_keeps_its_ends) {
  const Matrix<double> x = cloud(1000);
  LearnOptions options = gha(1);
  options.epochs = 5;
  options.trace_every = 1;
  const Learned learned = learn(Rows<double>(x), options);
  EXPECT_LE(learned.trace.size(), 1025u);
  EXPECT_GE(learned.trace.size(), 500u);
  EXPECT_EQ(learned.trace.front().step, 1);
  EXPECT_EQ(learned.trace.back().step, 5000);
}

TEST(Learn, z_scores_and_maps_end_in_a_model_of_the_rows_as_they_were) {
  Matrix<double> x = cloud(300);
  x.col(2) *= 100;
  LearnOptions options = gha(2);
  options.epochs = 60;
  options.scale = Scale::std;
  const auto exact = fit(x, {.components = 2, .scale = Scale::std, .ddof = 0});
  const Learned learned = learn(Rows<double>(x), options);
  EXPECT_LT((learned.model.scale() - exact.scale()).cwiseAbs().maxCoeff(), 1e-12 * 300);
  const Matrix<double> a = learned.model.transform(x), b = exact.transform(x);
  EXPECT_LT((a.col(0) - b.col(0)).norm(), 0.05 * b.col(0).norm());

  options.scale = Scale::none;
  options.map = squares_map<double>(4);
  x = cloud(300, 1);
  const auto squares = fit(x, squares_map<double>(4), {.components = 2});
  const Learned mapped = learn(Rows<double>(x), options);
  EXPECT_LT(degrees_between(mapped.model.components().row(0), squares.components().row(0)), 2);
  // Squares have long tails, and their noise is left in the weights: 1.2° here.
  EXPECT_LT((mapped.model.input_mean() - x.colwise().mean().transpose()).norm(), 1e-9);
}

TEST(Learn, z_scores_have_a_variance_of_one_over_the_rows) {
  Matrix<double> x(4, 1);
  x << 0, 1, 2, 7;
  LearnOptions options;
  options.learner.rule = "ccipca";
  options.learner.components = 1;
  options.scale = Scale::std;
  EXPECT_NEAR(learn(Rows<double>(x), options).model.explained_variance()[0], 1, 1e-12);

  // Without a mean rows are divided and not moved: Σx²/Σ(x − 2.5)² = 54/29.
  options.learner.centre = LearnedMean::none;
  options.epochs = 20;
  const Learned plain = learn(Rows<double>(x), options);
  EXPECT_NEAR(plain.model.scale()[0], std::sqrt(29.0 / 4), 1e-12);
  EXPECT_NEAR(plain.model.mean()[0], 0, 1e-300);
  EXPECT_NEAR(plain.model.explained_variance()[0], 54.0 / 29, 1e-6);
}

TEST(Learn, M_E4_kernel_pca_is_learned_from_all_rows_and_from_landmarks) {
  const Matrix<double> x = cloud(60, 0);
  const Kernel kernel = Kernel::parse("rbf(gamma=0.05)");
  const auto exact = fit(x, {.components = 2, .kernel = kernel, .scale = Scale::std, .ddof = 0});
  for (const Index landmarks : {0, 60}) {
    LearnOptions options = gha(2);
    options.kernel = kernel;
    options.scale = Scale::std;
    options.landmarks = landmarks;
    options.epochs = 400;
    const Learned learned = learn(Rows<double>(x), options);
    EXPECT_EQ(learned.model.report().method, landmarks == 0 ? "kernel-hebbian" : "gha");
    EXPECT_EQ(learned.rows, 400 * 60);
    EXPECT_TRUE(learned.convergence.converged) << learned.convergence.text;
    EXPECT_LT((learned.model.input_mean() - exact.input_mean()).norm(), 1e-12);
    const Matrix<double> a = learned.model.transform(x), b = exact.transform(x);
    for (Index j = 0; j < 2; ++j)
      EXPECT_LT(degrees_between(a.col(j).transpose(), b.col(j).transpose()), 2) << landmarks << j;
  }
}

TEST(Learn, streams_are_learned_as_they_come_whatever_their_blocks) {
  const Matrix<double> x = cloud(257);
  LearnOptions options = gha(2);
  options.order = Order::as_it_comes;
  options.epochs = 2;
  const Learned whole = learn(Rows<double>(x), options);
  EXPECT_FALSE(whole.shuffled);
  for (const Index chunk : {1, 7, 100}) {
    ChunkedSource<double> source(Rows<double>(x), chunk);
    const Learned parts = learn(source, options);
    EXPECT_EQ(parts.model.components(), whole.model.components());
    EXPECT_EQ(parts.rows, 2 * 257);
  }
}

/// Rows that come once, and then a bad one.
class BreakingStream : public Source<double> {
 public:
  explicit BreakingStream(const Matrix<double>& rows) : rows_(rows) {
    schema_.features = rows.cols();
  }
  const Schema& schema() const override { return schema_; }
  std::optional<Block<double>> next() override {
    if (at_ == rows_.rows()) throw Error(Errc::bad_data, "a bad row");
    const Index n = std::min<Index>(50, rows_.rows() - at_);
    at_ += n;
    return Block<double>{Rows<double>(rows_).middle(at_ - n, n)};
  }
  void rewind() override { throw Error(Errc::io, "read once"); }
  bool can_rewind() const override { return false; }
  std::string name() const override { return "stream"; }

 private:
  const Matrix<double>& rows_;
  Schema schema_;
  Index at_ = 0;
};

TEST(Learn, bad_rows_end_a_run_with_what_was_learned_before_them) {
  const Matrix<double> x = cloud(230);
  const TempDir dir;
  LearnOptions options = gha(2);
  options.order = Order::as_it_comes;
  options.epochs = 1;
  const Learned all = learn(Rows<double>(x), options);
  options.checkpoint = dir / "c";
  std::optional<Learned> before;
  options.on_bad_rows = [&](const Learned& learned) { before = learned; };
  BreakingStream stream(x);
  const std::string text = refusal([&] { learn(stream, options); }, Errc::bad_data);
  EXPECT_TRUE(has(text, "a bad row; the checkpoint '"));
  EXPECT_TRUE(has(text, "holds the first 230 rows: run again with `resume`"));
  ASSERT_TRUE(before);
  EXPECT_EQ(before->rows, 230);
  EXPECT_EQ(before->model.components(), all.model.components());
  EXPECT_TRUE(std::filesystem::exists(dir / "c"));
  // Too few rows for a model: the bad one is what is said.
  before.reset();
  options.checkpoint.clear();
  const Matrix<double> one = x.topRows(1);
  BreakingStream short_one(one);
  EXPECT_EQ(refusal([&] { learn(short_one, options); }, Errc::bad_data), "a bad row");
  EXPECT_FALSE(before);
}

TEST(Learn, convergence_is_judged_where_all_rows_have_been_seen_equally_often) {
  // Within an epoch weights wander; at its end they are near where they will end.
  const Matrix<double> x = cloud(170);
  const auto exact = fit(x, {.components = 2});
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    LearnOptions options = gha(2);
    options.learner.seed = seed;
    options.epochs = 100;
    const Learned learned = learn(Rows<double>(x), options);
    EXPECT_TRUE(learned.convergence.converged) << learned.convergence.text;
    for (Index j = 0; j < 2; ++j)
      EXPECT_LT(degrees_between(learned.model.components().row(j), exact.components().row(j)), 0.5);
  }
}

TEST(Learn, mini_batches_learn_every_row) {
  const Matrix<double> x = cloud(103);
  LearnOptions options = gha(2);
  options.learner.rule = "ccipca";
  options.learner.batch = 10;
  options.epochs = 1;
  const Learned learned = learn(Rows<double>(x), options);
  EXPECT_EQ(learned.rows, 103);
  EXPECT_EQ(learned.steps, 11);
  options.learner.batch = 1000;
  EXPECT_EQ(learn(Rows<double>(x), options).rows, 103);
}

TEST(Learn, until_stops_when_nothing_turns) {
  const Matrix<double> x = cloud(200);
  LearnOptions options = gha(1);
  options.until = 1;
  options.epochs = 1000;
  const Learned learned = learn(Rows<double>(x), options);
  EXPECT_EQ(learned.stop, LearnStop::converged);
  EXPECT_LT(learned.rows, 500 * 200);
  EXPECT_LE(learned.convergence.angle_change, 1);
}

/// A run that dies at a given row of its trace, and goes on from its last checkpoint.
struct Died : std::runtime_error {
  Died() : std::runtime_error("died") {}
};

TEST(Learn, M_E9_a_killed_run_goes_on_bit_for_bit) {
  const Matrix<double> x = cloud(150);
  struct Case {
    const char* rule;
    Index components, batch;
    Order order;
    bool theory;
    const char* rate;
    const char* kernel = "";
  };
  for (const Case& c : {Case{"gha", 3, 1, Order::shuffled, true, "auto"},
                        Case{"oja", 1, 1, Order::as_it_comes, true, "1/n"},
                        Case{"block-oja", 2, 8, Order::shuffled, true, "auto"},
                        Case{"ccipca", 2, 1, Order::shuffled, false, "auto"},
                        Case{"ccipca", 2, 8, Order::shuffled, false, "auto"},
                        Case{"gha", 2, 1, Order::shuffled, false, "auto", "rbf(gamma=0.1)"},
                        Case{"oja", 1, 1, Order::as_it_comes, false, "1/n", "rbf"},
                        Case{"gha", 2, 16, Order::as_it_comes, false, "adaoja(0.01)"}}) {
    TempDir dir;
    LearnOptions options = gha(c.components);
    options.learner.rule = c.rule;
    options.learner.batch = c.batch;
    options.learner.rate = Rate::parse(c.rate);
    options.order = c.order;
    options.theory = c.theory;
    if (*c.kernel) options.kernel = Kernel::parse(c.kernel);
    if (c.batch == 16) options.map = squares_map<double>(4);
    options.epochs = 4;
    options.trace_every = 3;
    options.until = 0.01;
    std::vector<std::vector<double>> whole, pieces;
    options.trace.row = [&](const TraceRow& row) { whole.push_back(trace_values(row)); };
    const Learned undisturbed = learn(Rows<double>(x), options);

    options.checkpoint = dir / "run.ckpt";
    options.checkpoint_every = 40 / c.batch;  // each waits for the disk
    options.resume = true;
    std::size_t die_at = 3;
    options.trace.keep = [&](std::int64_t rows) { pieces.resize(static_cast<std::size_t>(rows)); };
    options.trace.row = [&](const TraceRow& row) {
      pieces.push_back(trace_values(row));
      if (pieces.size() == die_at) throw Died();
    };
    std::optional<Learned> resumed;
    int deaths = 0;
    while (!resumed) {
      try {
        resumed = learn(Rows<double>(x), options);
      } catch (const Died&) {
        die_at += 1 + die_at / 2;
        ++deaths;
      }
    }
    EXPECT_GE(deaths, 4) << c.rule;
    EXPECT_EQ(resumed->model.components(), undisturbed.model.components()) << c.rule;
    EXPECT_EQ(resumed->model.mean(), undisturbed.model.mean());
    EXPECT_EQ(resumed->model.input_mean(), undisturbed.model.input_mean());
    EXPECT_EQ(resumed->model.eigenvalues(), undisturbed.model.eigenvalues());
    EXPECT_EQ(resumed->convergence.text, undisturbed.convergence.text);
    EXPECT_EQ(pieces, whole) << c.rule;
    ASSERT_EQ(resumed->trace.size(), undisturbed.trace.size());
    if (c.theory) EXPECT_EQ(resumed->theory->mean_gap, undisturbed.theory->mean_gap);
  }
}

TEST(Learn, M_E9_a_finished_run_goes_on_to_more_epochs) {
  TempDir dir;
  const Matrix<double> x = cloud(100);
  LearnOptions options = gha(2);
  options.epochs = 5;
  const Learned whole = learn(Rows<double>(x), options);
  options.checkpoint = dir / "run.ckpt";
  options.epochs = 2;
  learn(Rows<double>(x), options);
  options.resume = true;
  options.epochs = 5;
  const Learned more = learn(Rows<double>(x), options);
  EXPECT_EQ(more.model.components(), whole.model.components());
  EXPECT_EQ(more.resumed_at, 200);
}

class LearnRefuses : public testing::Test {
 protected:
  std::string message(const LearnOptions& options) const {
    return error_of([&] { learn(Rows<double>(x), options); }).what();
  }
  TempDir dir;
  Matrix<double> x = cloud(50);
};

TEST_F(LearnRefuses, a_checkpoint_of_another_run) {
  LearnOptions options = gha(2);
  options.epochs = 1;
  options.checkpoint = dir / "c";
  learn(Rows<double>(x), options);
  options.resume = true;
  LearnOptions other = options;
  other.learner.rule = "ccipca";
  EXPECT_HAS(message(other), "its rule is gha, not ccipca");
  other = options;
  other.learner.components = 3;
  EXPECT_HAS(message(other), "its number of components is 2, not 3");
  other = options;
  other.learner.rate = Rate::harmonic();
  EXPECT_HAS(message(other), "its rate is auto, not 1/n");
  other = options;
  other.scale = Scale::std;
  EXPECT_HAS(message(other), "its scale is none, not std");
  other = options;
  other.trace_every = 12345;
  EXPECT_HAS(message(other), "not 12345");
  x(3, 1) += 1e-9;
  EXPECT_HAS(message(options), "its input is 1600 bytes with hash");
}

TEST_F(LearnRefuses, options_that_cannot_work) {
  LearnOptions options = gha(5);
  EXPECT_HAS(message(options), "`components=5` is too large: 4 columns");
  options = gha(1);
  options.epochs = -1;
  EXPECT_HAS(message(options), "`epochs=-1`");
  options = gha(1);
  options.until = 90;
  EXPECT_HAS(message(options), "`until=90`");
  options = gha(1);
  options.landmarks = 5;
  EXPECT_HAS(message(options), "`landmarks` requires a kernel");
  options = gha(1);
  options.kernel = Kernel::parse("rbf");
  options.theory = true;
  EXPECT_HAS(message(options), "`theory` with a kernel requires `landmarks`");
  options.theory = false;
  options.learner.rule = "block-oja";
  EXPECT_HAS(message(options), "`rule=block-oja` requires `landmarks`");
  options = gha(50);
  options.kernel = Kernel::parse("rbf");
  EXPECT_HAS(message(options), "`components=50` is too large: 50 rows");
  options = gha(1);
  options.memory = 6000;  // for the learner and few of the rows
  options.order = Order::shuffled;
  EXPECT_HAS(message(options), "`order=shuffled` needs all rows at once");
  options = gha(1);
  options.learner.rate = Rate::constant(1e6);
  const Error error = error_of([&] { learn(Rows<double>(x), options); });
  EXPECT_EQ(error.code(), Errc::not_converged);
  EXPECT_HAS(error.what(), "step");
  x.resize(0, 4);
  EXPECT_HAS(message(gha(1)), "no rows");
}

}  // namespace mercer::test::learn_test
