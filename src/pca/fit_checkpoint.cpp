#include <mercer/fit_checkpoint.hpp>

#include "pca/pass_log.hpp"

#include <utility>

namespace mercer {

FitCheckpoint::FitCheckpoint(std::string folder, bool resume)
    : log_(std::make_unique<PassLog>(std::move(folder), resume)) {}
FitCheckpoint::~FitCheckpoint() = default;

const std::string& FitCheckpoint::folder() const { return log_->folder(); }
bool FitCheckpoint::resumes() const { return log_->resumes(); }
int FitCheckpoint::passes() const { return log_->passes(); }
int FitCheckpoint::passes_read() const { return log_->passes_read(); }
void FitCheckpoint::remove() { log_->remove(); }

}  // namespace mercer
