#pragma once
// What `fit` needs of a plan beside the public header: the facts of its rows, and the same plan
// once more where rows turn out to take more memory than could be known.

#include <mercer/plan.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// As a message names it: `solver=svd`.
const char* name_of(Solver solver);

/// Rows in memory, with so many bytes beside them; `speed`: as measured before, if it was.
template <class T>
Facts facts_of(const Rows<T>& x, const FitOptions& options, double budget,
               const std::optional<Speed>& speed = {});

/// Facts of a source before it is read; with the options' memory.
template <class T>
Facts facts_of(const Source<T>& source, const FitOptions& options);

/// `facts` with the rows of a source that it only estimates: by reading it.
template <class T>
void count_rows(Source<T>& source, Facts& facts);

/// What a fit of a source would do with this much memory: `announced` by the source, or rows that
/// can be borrowed, `held`.
Plan plan_with(double memory, const Facts& announced, const std::optional<Facts>& held,
               const FitOptions& options);

/// The least memory above `now` that `enough` accepts, rounded up, as a message shows it: "84 MiB".
/// Empty where no memory is enough.
std::string least_memory(double now, const std::function<bool(double)>& enough);

/// Whether a fit of the source, or of its features where there is a map, would be planned with this
/// much memory. Rows are counted where the source only estimates them. Empty where their number
/// cannot be known.
template <class T>
std::function<bool(double)> enough_memory(Source<T>& source, const FitOptions& options,
                                          const Map<T>* map = nullptr);

/// Whether the memory of the options is enough by what the source announces: no row is read.
template <class T>
bool seems_enough(Source<T>& source, const FitOptions& options, const Map<T>* map = nullptr);

/// "; at least 84 MiB are needed": the least memory that would do for a fit, where it is more than
/// there is; empty where that cannot be known.
template <class T>
std::string least_memory(Source<T>& source, const FitOptions& options, const Map<T>* map = nullptr);

/// The method of this name is chosen; the others, by their flops, are rejected for what they say.
void take_method(Plan& plan, std::vector<PlannedMethod> methods, const std::string& chosen,
                 std::string why);

/// The solver of linear PCA: the one asked for, or the cheapest of covariance, Gram and randomized
/// that fits in `plan.work`.
void plan_linear(Plan& plan, const FitOptions& options);

/// Bytes of the copy that scaling or filling rows before a kernel sees them takes.
double copy_bytes(const Facts& facts, const FitOptions& options);

/// Exact kernel PCA planned again for `plan.facts` and this much working memory.
Plan with_work(Plan plan, double work, const FitOptions& options);

/// Throws `Errc::out_of_memory` when the plan refuses.
void require_possible(const Plan& plan);

}  // namespace mercer
