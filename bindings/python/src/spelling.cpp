#include "spelling.hpp"

#include "core/spelled.hpp"

#include <cstdlib>

namespace mercer::python {

namespace {

/// Options that are not a parameter of any estimator are described by a general phrase.
constexpr Spelling parameters[] = {
    {"components=all_components()", "n_components=None"},
    {"components=gavish_donoho()", "the threshold of Gavish and Donoho"},
    {"components=minka()", "n_components='mle'"},
    {"components=significant()", "a number for n_components"},
    {"double", "float64"},
    {"missing=drop", "numpy.isnan"},
    {"missing=em", "imputation by PCA"},
    {"missing=mean", "sklearn.impute.SimpleImputer"},
    {"order=as_it_comes", "shuffle=False"},
    {"order=shuffled", "shuffle=True"},
    {"scale=std", "sklearn.preprocessing.StandardScaler"},
    {"solver=covariance", "svd_solver='covariance_eigh'"},
    {"solver=dense", "eigen_solver='dense'"},
    {"solver=gram", "the Gram matrix"},
    {"solver=krylov", "eigen_solver='arpack'"},
    {"solver=randomized", "svd_solver='randomized'"},
    {"solver=svd", "svd_solver='full'"},

    {"alpha", "alpha"},
    {"approx", "approximation"},
    {"batch", "batch_size"},
    {"clip", "a number for n_components"},
    {"components", "n_components"},
    {"epochs", "epochs"},
    {"forgetting", "forgetting"},
    {"kernel", "kernel"},
    {"memory", "memory"},
    {"precomputed", "kernel='precomputed'"},
    {"rate", "rate"},
    {"rule", "rule"},
    {"threads", "n_jobs"},
    {"tolerance", "tolerance"},

    {"checkpoint", "checkpoint"},
    {"columns", "columns"},
    {"criterion", "criterion"},
    {"ddof", "ddof"},
    {"delimiter", "delimiter"},
    {"exclude", "leave out"},
    {"format", "format"},
    {"height", "height"},
    {"id", "id column"},
    {"image_width", "image_width"},
    {"iterations", "iterations"},
    {"keep_null", "keep_null=True"},
    {"keep_rows", "kept rows"},
    {"label", "label column"},
    {"landmarks", "landmarks"},
    {"level", "level"},
    {"levels", "levels"},
    {"limit", "limit"},
    {"missing", "missing values"},
    {"most_points", "most_points"},
    {"neighbours", "neighbours"},
    {"noise", "noise"},
    {"onehot", "categories"},
    {"order", "shuffle"},
    {"penalty", "penalty"},
    {"ranks", "ranks"},
    {"resume", "resume=True"},
    {"rows", "rows"},
    {"scale", "scale"},
    {"seconds", "a limit of time"},
    {"size", "size"},
    {"solver", "the solver"},
    {"start", "start"},
    {"start_norm", "start_norm"},
    {"theorem", "theorem"},
    {"theory", "theory"},
    {"trace_weights", "trace_weights"},
    {"until", "until"},
    {"until_angle", "until_angle"},
    {"weights", "weights"},
    {"width", "width"},
};

bool is_number(const std::string& value) {
  char* end = nullptr;
  std::strtod(value.c_str(), &end);
  return !value.empty() && *end == 0;
}

std::string with_value(std::string_view parameter, std::string_view value) {
  const std::string text(value);
  return std::string(parameter) + (is_number(text) ? "=" + text : "='" + text + "'");
}

}  // namespace

std::string in_parameters(std::string_view message) {
  return spelled(message, parameters, with_value);
}

}  // namespace mercer::python
