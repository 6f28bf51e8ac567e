#pragma once
// One row of a stream through a layer of linear neurons, with the instructions this machine has
// (found at run time).
//
// The weights of a step are those of the step before: a step that reads and writes them once, and
// meets the next row on the way, is as fast as they can be moved.

#include <mercer/matrix.hpp>

namespace mercer {

/// out = x − mean, and ‖out‖².
double subtract_mean(const double* x, const double* mean, Index d, double* out);

/// mean += gain·row, row *= 1 − gain: moves the mean after `subtract_mean`, and the row with it.
/// mean + lost is the running mean without the roundings of these sums, which add up to many units
/// in the last place.
void move_mean(double* mean, double* lost, double gain, double* row, Index d);

/// Numbers of scratch memory that k neurons need.
Index hebbian_scratch(Index k);

/// y = Wx; W is k×d.
void outputs(const double* w, Index k, Index d, const double* x, double* y, double* scratch);

/// Sanger's rule, y = Wx given: r = x; for each j: r −= y_j w_j, w_j += η y_j r. Then next_y =
/// W·next with the new weights, to the same bits as `outputs`, unless `next` is null. Returns
/// ‖x − Wᵀy‖², W being the weights before.
double sanger_step(double* w, Index k, Index d, const double* x, const double* y, double eta,
                   const double* next, double* next_y, double* scratch);

}  // namespace mercer
