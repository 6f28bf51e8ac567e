#include "torture/methods.hpp"

#include "support/chunked_source.hpp"

#include <mercer/error.hpp>
#include <mercer/incremental.hpp>
#include <mercer/incremental_kernel.hpp>
#include <mercer/merge.hpp>

#include <algorithm>

namespace mercer::torture {

namespace {

FitOptions options_of(const Problem& p, int threads) {
  FitOptions o;
  o.components = p.components;
  o.center = p.center;
  o.ddof = 0;
  o.tolerance = p.tolerance();
  o.threads = threads;
  o.memory = std::size_t{1} << 30;  // not what the machine has left: that may change the method
  if (p.kernel) o.kernel = Kernel::parse(p.kernel->text());
  return o;
}

template <class T>
Answer answer_of(const Problem& p, const Model<T>& model, const Matrix<T>& x) {
  const Report& r = model.report();
  Answer a;
  a.eigenvalues.assign(model.eigenvalues().data(),
                       model.eigenvalues().data() + model.eigenvalues().size());
  a.low = r.certificate.low;
  a.high = r.certificate.high;
  a.confidence = r.certificate.confidence;
  a.rounding = r.certificate.rounding;
  a.total = r.total_variance * r.weight;
  if (r.approximation) a.above = r.approximation->above;
  a.bytes = model.serialize();
  const Matrix<T> scores = model.transform(x, {.threads = 1});
  for (Index i = 0; i < x.rows(); ++i) {
    const double w = p.weights.empty() ? 1 : p.weights[static_cast<std::size_t>(i)];
    if (w == 0) continue;  // it may be anywhere
    const double s = scores(i, 0);
    a.first_squares += w * s * s;
    if (scores.cols() > 1) a.first_with_second += w * s * scores(i, 1);
  }
  return a;
}

/// Runs `fit` in the precision of the problem; what it throws is the answer too.
template <class Fit>
Answer in_precision(const Problem& p, const Fit& fit) {
  try {
    const auto answer = [&]<class T>(const Matrix<T>& x) { return answer_of(p, fit(x), x); };
    return p.single ? answer(Matrix<float>(p.x.cast<float>())) : answer(p.x);
  } catch (const Error& error) {
    Answer a;
    a.refusal = error.what();
    return a;
  }
}

Answer fitted(const Problem& p, const FitOptions& options) {
  return in_precision(
      p, [&]<class T>(const Matrix<T>& x) { return fit(Rows<T>(x), options, p.weight_data()); });
}

template <Solver solver>
Answer by_solver(const Problem& p, int threads) {
  FitOptions options = options_of(p, threads);
  options.solver = solver;
  // A random start finds leading pairs; all of them are the business of the others.
  if (solver == Solver::randomized && p.components.kind() == Components::Kind::all)
    options.components = at_most(2);
  return fitted(p, options);
}

/// Dense rows as sparse ones.
template <class T>
Csr<T> compressed(const Matrix<T>& x) {
  Csr<T> out;
  out.cols = x.cols();
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j)
      if (x(i, j) != 0) {
        out.columns.push_back(static_cast<std::int32_t>(j));
        out.values.push_back(x(i, j));
      }
    out.offsets.push_back(static_cast<std::int64_t>(out.values.size()));
  }
  return out;
}

Answer sparse(const Problem& p, int threads) {
  return in_precision(p, [&]<class T>(const Matrix<T>& x) {
    const Csr<T> csr = compressed(x);
    return fit(Rows<T>(csr), options_of(p, threads), p.weight_data());
  });
}

template <class T, class Incremental>
Model<T> in_steps(const Problem& p, const Matrix<T>& x, Incremental& pca) {
  const Rows<T> rows(x);
  const Index step = 1 + static_cast<Index>(p.seed % 7);
  for (Index i = 0; i < x.rows(); i += step)
    pca.update(rows.middle(i, std::min(step, x.rows() - i)),
               p.weights.empty() ? Weights()
                                 : Weights(p.weights.data() + i,
                                           static_cast<std::size_t>(std::min(step, x.rows() - i))));
  return pca.model();
}

Answer in_batches(const Problem& p, int threads) {
  return in_precision(p, [&]<class T>(const Matrix<T>& x) {
    IncrementalPca<T> pca(x.cols(), options_of(p, threads));
    return in_steps(p, x, pca);
  });
}

Answer streamed(const Problem& p, int threads) {
  return in_precision(p, [&]<class T>(const Matrix<T>& x) {
    FitOptions options = options_of(p, threads);
    options.solver = Solver::covariance;
    test::ChunkedSource<T> source(Rows<T>(x), 1 + static_cast<Index>(p.seed % 5), p.weight_data());
    return fit(source, options);
  });
}

/// Models of the first and the second half, made one.
Answer merged(const Problem& p, int threads) {
  return in_precision(p, [&]<class T>(const Matrix<T>& x) {
    FitOptions options = options_of(p, threads);
    options.components = all_components();
    const Index half = x.rows() / 2;
    const Weights w = p.weight_data();
    const Rows<T> rows(x);
    std::vector<Model<T>> parts;
    try {
      const auto first = w.empty() ? w : Weights(w.first(static_cast<std::size_t>(half)));
      const auto rest = w.empty() ? w : Weights(w.subspan(static_cast<std::size_t>(half)));
      parts.push_back(fit(rows.middle(0, half), options, first));
      parts.push_back(fit(rows.middle(half, x.rows() - half), options, rest));
    } catch (const Error&) {  // half of the rows may have too little to make a model
      throw Error(Errc::bad_data, "one of the halves has no model");
    }
    return merge<T>(parts, {.components = p.components, .threads = threads});
  });
}

/// The linear kernel has the eigenvalues of the scatter matrix.
Answer by_linear_kernel(const Problem& p, int threads) {
  FitOptions options = options_of(p, threads);
  options.kernel = kernels::linear();
  return fitted(p, options);
}

template <LandmarkChoice by>
Answer by_landmarks(const Problem& p, int threads) {
  FitOptions options = options_of(p, threads);
  options.components = at_most(2);
  options.approx =
      Nystrom{.landmarks = std::max<Index>(1, p.x.rows() / (1 + p.seed % 3)), .by = by};
  return fitted(p, options);
}

Answer by_cholesky(const Problem& p, int threads) {
  FitOptions options = options_of(p, threads);
  options.components = at_most(2);
  options.approx = Cholesky{.rank = std::max<Index>(1, p.x.rows() / (1 + p.seed % 3))};
  return fitted(p, options);
}

Answer by_features(const Problem& p, int threads) {
  FitOptions options = options_of(p, threads);
  options.components = at_most(2);
  const auto index = static_cast<Index>(p.seed % 3);
  if (p.kernel->shape == KernelSpec::Shape::poly) options.approx = TensorSketch{32 << index};
  else options.approx = Fourier{.features = 32 << index, .orthogonal = p.seed % 2 == 0};
  return fitted(p, options);
}

Answer by_kernel_batches(const Problem& p, int threads) {
  return in_precision(p, [&]<class T>(const Matrix<T>& x) {
    FitOptions options = options_of(p, threads);
    options.components = at_most(2);
    options.approx = Nystrom{.landmarks = std::max<Index>(1, x.rows() / 3)};
    IncrementalKernelPca<T> pca(x.cols(), options, std::max<Index>(2, x.rows() / 2));
    return in_steps(p, x, pca);
  });
}

}  // namespace

const std::vector<Method>& methods() {
  using enum LandmarkChoice;
  static const std::vector<Method> all{
      {"auto", false, true, true, by_solver<Solver::automatic>},
      {"covariance", false, true, false, by_solver<Solver::covariance>},
      {"gram", false, true, false, by_solver<Solver::gram>},
      {"svd", false, true, false, by_solver<Solver::svd>},
      {"randomized", false, true, false, by_solver<Solver::randomized>},
      {"sparse", false, true, false, sparse},
      {"incremental", false, true, false, in_batches},
      {"stream", false, true, false, streamed},
      {"merged", false, true, false, merged, false, true},
      {"linear kernel", false, true, false, by_linear_kernel},
      {"kernel auto", true, true, true, by_solver<Solver::automatic>},
      {"kernel dense", true, true, false, by_solver<Solver::dense>},
      {"kernel krylov", true, true, false, by_solver<Solver::krylov>},
      {"kernel sparse", true, true, false, sparse},
      {"nystrom", true, false, false, by_landmarks<uniform>},
      {"nystrom kmeans", true, false, false, by_landmarks<kmeans>},
      {"nystrom leverage", true, false, false, by_landmarks<leverage>},
      {"cholesky", true, false, false, by_cholesky},
      {"random features", true, false, false, by_features, true},
      {"kernel in batches", true, false, false, by_kernel_batches},
  };
  return all;
}

}  // namespace mercer::torture
