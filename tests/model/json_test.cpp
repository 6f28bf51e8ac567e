#include "model/sample.hpp"

#include <gtest/gtest.h>

namespace mercer::json_test {

using Json = nlohmann::ordered_json;

TEST(ModelJson, has_every_key_of_the_command_line_contract) {
  const Model<double> model(test::sample_parts<double>());
  const Json json = Json::parse(to_json(model));
  EXPECT_EQ(json["format_version"], 2);
  EXPECT_EQ(json["method"], "pca");
  EXPECT_EQ(json["space"], "input");
  EXPECT_TRUE(json["kernel"].is_null() && json.contains("kernel"));
  EXPECT_TRUE(json["map"].is_null() && json.contains("map"));
  EXPECT_TRUE(json["approximation"].is_null() && json.contains("approximation"));
  EXPECT_EQ(json["n_samples"], 5);
  EXPECT_EQ(json["n_features"], 3);
  EXPECT_EQ(json["n_components"], 2);
  EXPECT_EQ(json["feature_names"], Json({"alcohol", "größe, \"cm\"", "line\nbreak"}));
  EXPECT_EQ(json["label"], "cultivar");
  EXPECT_EQ(json["id"], "nr");
  EXPECT_EQ(json["centered"], true);
  EXPECT_EQ(json["scale"], "std");
  EXPECT_EQ(json["ddof"], 0);
  EXPECT_EQ(json["weight"], 7.5);
  EXPECT_EQ(json["total_variance"], 0.1);
  EXPECT_EQ(json["seconds"], 0.25);
  EXPECT_EQ(json["peak_memory_bytes"], 123456789012);
  EXPECT_EQ(json["solver"]["name"], "covariance");
  EXPECT_EQ(json["solver"]["passes"], 2);
  EXPECT_EQ(json["solver"]["tolerance"], 1e-10);
  EXPECT_EQ(json["solver"]["converged"], true);
  EXPECT_EQ(json["solver"]["residuals"], Json({1e-16, 0.1 + 0.2}));
  EXPECT_FALSE(json["solver"]["why"].get<std::string>().empty());
}

TEST(ModelJson, variances_and_ratios_follow_from_the_eigenvalues) {
  const Json json = Json::parse(to_json(Model<double>(test::sample_parts<double>())));
  const double first = 1.0 / 3 / 7.5;  // ddof 0, weight 7.5
  EXPECT_EQ(json["eigenvalues"], Json({1.0 / 3, 1e-20}));
  EXPECT_DOUBLE_EQ(json["explained_variance"][0], first);
  EXPECT_DOUBLE_EQ(json["explained_variance"][1], 1e-20 / 7.5);
  EXPECT_DOUBLE_EQ(json["explained_variance_ratio"][0], first / 0.1);
  EXPECT_DOUBLE_EQ(json["cumulative_variance_ratio"][1],
                   json["explained_variance_ratio"][0].get<double>() +
                       json["explained_variance_ratio"][1].get<double>());
}

TEST(ModelJson, M_T1_has_the_components_the_mean_and_the_scale_unless_they_are_too_many) {
  const Model<double> model(test::sample_parts<double>());
  Json json = Json::parse(to_json(model));
  ASSERT_EQ(json["components"].size(), 2u);
  ASSERT_EQ(json["components"][0].size(), 3u);
  for (Index c = 0; c < 2; ++c)
    for (Index j = 0; j < 3; ++j)
      EXPECT_EQ(json["components"][static_cast<std::size_t>(c)][static_cast<std::size_t>(j)],
                model.components()(c, j));
  EXPECT_EQ(json["mean"].size(), 3u);
  EXPECT_EQ(json["scale_values"][1], model.scale()[1]);
  EXPECT_TRUE(json["feature_space_dimension"].is_null());
  ModelParts<double> wide;
  wide.map = identity_map<double>(100'001);
  wide.components = Matrix<double>::Zero(1, 100'001);
  wide.components(0, 7) = 1;
  wide.mean = Vector<double>::Zero(100'001);
  wide.eigenvalues = Vector<double>::Ones(1);
  wide.report = model.report();
  wide.report.solver.residuals = {1e-16};
  json = Json::parse(to_json(Model<double>(std::move(wide))));
  EXPECT_TRUE(json["components"].is_null() && json.contains("components"));
  EXPECT_TRUE(json["mean"].is_null());
}

TEST(ModelJson, M_P1_has_an_interval_for_each_eigenvalue_or_says_why_not) {
  auto parts = test::certified_parts<double>();
  Json json = Json::parse(to_json(Model<double>(parts)));
  EXPECT_EQ(json["eigenvalue_intervals"], Json({{0.25, 0.5}, {0.0, 3e-20}}));
  EXPECT_EQ(json["certificate"],
            Json({{"rounding", 2e-20}, {"confidence", 0.75}, {"reason", "for a test"}}));
  parts.report.certificate = {{}, {}, 0, 1, "learned"};
  json = Json::parse(to_json(Model<double>(parts)));
  EXPECT_TRUE(json["eigenvalue_intervals"].is_null());
  EXPECT_EQ(json["certificate"]["reason"], "learned");
}

TEST(ModelJson, has_no_time_where_the_model_comes_from_a_file) {
  const Model<double> fitted(test::sample_parts<double>());
  const Json json = Json::parse(to_json(Model<double>::deserialize(fitted.serialize())));
  EXPECT_TRUE(json.contains("seconds") && json["seconds"].is_null());
  EXPECT_TRUE(json.contains("peak_memory_bytes") && json["peak_memory_bytes"].is_null());
}

TEST(ModelJson, says_none_for_what_a_model_does_not_have) {
  auto parts = test::sample_parts<float>();
  parts.scale.resize(0);
  parts.feature_names.clear();
  parts.label_column.clear();
  parts.id_column.clear();
  const Json json = Json::parse(to_json(Model<float>(parts)));
  EXPECT_EQ(json["scale"], "none");
  EXPECT_EQ(json["feature_names"], Json::array());
  EXPECT_TRUE(json["label"].is_null());
  EXPECT_TRUE(json["id"].is_null());
  EXPECT_EQ(json["precision"], "float");
}

TEST(ModelJson, is_one_line_when_asked) {
  const std::string text = to_json(Model<double>(test::sample_parts<double>()), -1);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.rfind("{\"format_version\":2,\"method\":\"pca\",\"space\":\"input\"", 0), 0U);
}

}  // namespace mercer::json_test
