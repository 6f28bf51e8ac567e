#pragma once
// The library's options as flags: what its messages call `keep_rows=1000` is --keep-rows 1000 here.

#include "core/spelled.hpp"

#include <string>
#include <string_view>

namespace mercer::cli {

/// Options with a value that reads otherwise here, then options by themselves.
inline constexpr Spelling flag_spellings[] = {
    {"components=all_components()", "-k all"},
    {"components=gavish_donoho()", "-k gavish-donoho"},
    {"components=minka()", "-k minka"},
    {"components=significant()", "-k auto"},
    {"double", "--precision double"},
    {"order=as_it_comes", "--order as-it-comes"},

    {"alpha", "--alpha"},
    {"approx", "--approx"},
    {"batch", "--batch"},
    {"checkpoint", "--checkpoint"},
    {"clip", "--clip"},
    {"columns", "--columns"},
    {"components", "-k"},
    {"criterion", "--criterion"},
    {"ddof", "--ddof"},
    {"delimiter", "--delimiter"},
    {"epochs", "--epochs"},
    {"exclude", "--exclude"},
    {"forgetting", "--forget"},
    {"format", "--format"},
    {"height", "--height"},
    {"id", "--id"},
    {"image_width", "--image-width"},
    {"keep_null", "--keep-null"},
    {"keep_rows", "--keep-rows"},
    {"kernel", "--kernel"},
    {"label", "--label"},
    {"landmarks", "--landmarks"},
    {"level", "--flag"},
    {"levels", "--levels"},
    {"limit", "--limit"},
    {"memory", "--memory"},
    {"missing", "--missing"},
    {"noise", "--noise"},
    {"onehot", "--onehot"},
    {"order", "--order"},
    {"penalty", "--penalty"},
    {"precomputed", "--precomputed"},
    {"ranks", "--ranks"},
    {"rate", "--rate"},
    {"resume", "--resume"},
    {"rule", "--rule"},
    {"scale", "--scale"},
    {"seconds", "--time"},
    {"size", "--size"},
    {"solver", "--solver"},
    {"start", "--start"},
    {"start_norm", "--start"},
    {"theorem", "--theorem"},
    {"theory", "--theory"},
    {"threads", "--threads"},
    {"tolerance", "--tolerance"},
    {"trace_weights", "--trace-weights"},
    {"until", "--until"},
    {"until_angle", "--until-angle"},
    {"weights", "--weights"},
    {"width", "--width"},

    // No flag sets these: they are what they are in C++, without its backquotes.
    {"iterations", "iterations"},
    {"most_points", "most_points"},
    {"neighbours", "neighbours"},
    {"rows", "rows"},
};

/// A message of the library with flags in place of its options.
inline std::string in_flags(std::string_view message) {
  return spelled(message, flag_spellings, [](std::string_view flag, std::string_view value) {
    return std::string(flag) + (flag.starts_with('-') ? " " : " = ") + std::string(value);
  });
}

}  // namespace mercer::cli
