#pragma once
// A small model whose every field has a value of its own, and files forged from it.

#include <mercer/model.hpp>

#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace mercer::test {

template <class T>
ModelParts<T> sample_parts() {
  ModelParts<T> p;
  p.map = identity_map<T>(3);
  p.components.resize(2, 3);
  p.components << T(0.6), T(0), T(0.8), T(0.8), T(0), T(-0.6);
  p.mean.resize(3);
  p.mean << T(0.1), T(-2), T(1e6);
  p.scale.resize(3);
  p.scale << T(2), T(1), T(0.25);
  p.eigenvalues.resize(2);
  p.eigenvalues << 1.0 / 3, 1e-20;
  p.feature_names = {"alcohol", "größe, \"cm\"", "line\nbreak"};
  p.label_column = "cultivar";
  p.id_column = "nr";
  p.report.solver = {"covariance", "5 rows of 3 columns: N ≥ d", 2, {1e-16, 0.1 + 0.2}, 1e-10,
                     true};
  p.report.n_samples = 5;
  p.report.weight = 7.5;
  p.report.weighted = true;
  p.report.centered = true;
  p.report.ddof = 0;
  p.report.total_variance = 0.1;
  p.report.seconds = 0.25;
  p.report.peak_memory_bytes = 123456789012;
  return p;
}

/// The same with what version 2 of the files added.
template <class T>
ModelParts<T> certified_parts() {
  ModelParts<T> p = sample_parts<T>();
  p.report.certificate = {{0.25, 0}, {0.5, 3e-20}, 2e-20, 0.75, "for a test"};
  p.column_variance.resize(3);
  p.column_variance << 0.0625, 0, 0.0375;
  return p;
}

/// The same report on a model of four features of two columns. Numbers that float holds too.
template <class T>
ModelParts<T> mapped_parts(std::shared_ptr<const Map<T>> map) {
  ModelParts<T> p = sample_parts<T>();
  p.map = std::move(map);
  const Index d = p.map->features();
  p.components = Matrix<T>::NullaryExpr(
      2, d, [](Index i, Index j) { return T((i + 1) * (j % 3 - 1)) + T(0.5); });
  p.mean = Vector<T>::NullaryExpr(d, [](Index j) { return T(0.25) * T(j + 1); });
  p.input_mean = Vector<T>::NullaryExpr(p.map->inputs(), [](Index j) { return T(1.5) - T(j); });
  p.scale.resize(0);
  p.feature_names.clear();
  return p;
}

template <class T>
ModelParts<T> kernel_parts() {
  Matrix<T> anchors(4, 2);
  anchors << T(0), T(1), T(-0.5), T(2), T(3), T(0.25), T(1), T(-1);
  auto p = mapped_parts<T>(kernel_map<T>(Kernel::parse("rbf(gamma=0.5) + 0.25*linear()"), anchors));
  p.scale = Vector<T>::Constant(2, T(2));
  p.feature_names = {"length", "width"};
  p.report.method = "kernel-pca";
  return p;
}

template <class T>
ModelParts<T> sparse_kernel_parts() {
  const Csr<T> anchors{3, {0, 2, 2, 3, 5}, {0, 2, 1, 1, 2}, {T(1), T(-2), T(0.5), T(3), T(4)}};
  return mapped_parts<T>(kernel_map<T>(kernels::laplacian({.gamma = 0.125}), anchors));
}

template <class T>
ModelParts<T> features_parts() {
  auto p = mapped_parts<T>(plain_map<T>(2, 2));
  p.scale = Vector<T>::Constant(2, T(4));
  return p;
}

template <class T>
ModelParts<T> precomputed_parts() {
  return mapped_parts<T>(precomputed_map<T>(4));
}

template <class T>
ModelParts<T> fourier_parts() {
  Matrix<T> frequencies(2, 3);
  frequencies << T(0.5), T(-2), T(1), T(3), T(0.25), T(-0.125);
  return mapped_parts<T>(fourier_map<T>(0.5 * kernels::matern({.length = 2}), frequencies));
}

template <class T>
ModelParts<T> tensor_sketch_parts() {
  Matrix<T> hashes(2, 4);
  hashes << T(1), T(-4), T(2), T(3), T(-1), T(4), T(4), T(-2);
  return mapped_parts<T>(tensor_sketch_map<T>(kernels::poly({.degree = 2}), 4, hashes));
}

/// One model of each kind that is not linear PCA.
template <class T>
std::vector<ModelParts<T>> all_mapped_parts() {
  return {kernel_parts<T>(),      sparse_kernel_parts<T>(), features_parts<T>(),
          precomputed_parts<T>(), fourier_parts<T>(),       tensor_sketch_parts<T>()};
}

template <class T>
void expect_same(const Rows<T>& a, const Rows<T>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  ASSERT_EQ(a.sparse(), b.sparse());
  ASSERT_EQ(a.entries(), b.entries());
  if (!a.sparse()) EXPECT_EQ(Matrix<T>(a.dense()), Matrix<T>(b.dense()));
  for (Index i = 0; a.sparse() && i <= a.rows(); ++i)
    EXPECT_EQ(a.csr().offsets[i], b.csr().offsets[i]);
  for (Index e = 0; a.sparse() && e < a.entries(); ++e) {
    EXPECT_EQ(a.csr().columns[e], b.csr().columns[e]);
    EXPECT_EQ(a.csr().values[e], b.csr().values[e]);
  }
}

/// All that a file of the first version has of a model.
template <class T>
void expect_same_v1(const ModelParts<T>& a, const ModelParts<T>& b) {
  EXPECT_EQ(a.map->text(), b.map->text());
  EXPECT_EQ(a.map->kernel(), b.map->kernel());
  EXPECT_EQ(a.map->inputs(), b.map->inputs());
  expect_same(a.map->anchors(), b.map->anchors());
  EXPECT_EQ(a.components, b.components);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(a.input_mean, b.input_mean);
  EXPECT_EQ(a.input_rest, b.input_rest);
  EXPECT_EQ(a.eigenvalues, b.eigenvalues);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.label_column, b.label_column);
  EXPECT_EQ(a.id_column, b.id_column);
  EXPECT_EQ(a.report.method, b.report.method);
  EXPECT_EQ(a.report.solver.name, b.report.solver.name);
  EXPECT_EQ(a.report.solver.why, b.report.solver.why);
  EXPECT_EQ(a.report.solver.passes, b.report.solver.passes);
  EXPECT_EQ(a.report.solver.residuals, b.report.solver.residuals);
  EXPECT_EQ(a.report.solver.tolerance, b.report.solver.tolerance);
  EXPECT_EQ(a.report.solver.converged, b.report.solver.converged);
  EXPECT_EQ(a.report.n_samples, b.report.n_samples);
  EXPECT_EQ(a.report.weight, b.report.weight);
  EXPECT_EQ(a.report.weighted, b.report.weighted);
  EXPECT_EQ(a.report.centered, b.report.centered);
  EXPECT_EQ(a.report.ddof, b.report.ddof);
  EXPECT_EQ(a.report.total_variance, b.report.total_variance);
}

template <class T>
void expect_same(const ModelParts<T>& a, const ModelParts<T>& b) {
  expect_same_v1(a, b);
  EXPECT_EQ(a.column_variance, b.column_variance);
  EXPECT_EQ(a.report.certificate.low, b.report.certificate.low);
  EXPECT_EQ(a.report.certificate.high, b.report.certificate.high);
  EXPECT_EQ(a.report.certificate.rounding, b.report.certificate.rounding);
  EXPECT_EQ(a.report.certificate.confidence, b.report.certificate.confidence);
  EXPECT_EQ(a.report.certificate.reason, b.report.certificate.reason);
}

/// Takes a model file apart, lets `change` at its header and its data, and puts it together again
/// with a checksum that is right.
inline std::string forge(
    const std::string& file,
    const std::function<void(nlohmann::ordered_json& header, std::string& data)>& change) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  auto header = nlohmann::ordered_json::parse(file.substr(8, length));
  std::string data = file.substr(8 + length);
  change(header, data);
  header["__metadata__"]["checksum"] = "00000000";
  std::string json = header.dump();
  length = json.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  out += json + data;
  char digits[9];
  std::snprintf(
      digits, sizeof digits, "%08lx",
      crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())));
  const std::string key = R"("checksum":")";
  out.replace(out.find(key) + key.size(), 8, digits);
  return out;
}

/// The same for the description, which is JSON inside the header's JSON.
inline std::string forge_description(const std::string& file,
                                     const std::function<void(nlohmann::ordered_json&)>& change) {
  return forge(file, [&](nlohmann::ordered_json& header, std::string&) {
    auto& text = header["__metadata__"]["mercer"];
    auto description = nlohmann::ordered_json::parse(text.get<std::string>());
    change(description);
    text = description.dump();
  });
}

}  // namespace mercer::test
