// What the examples in the headers of src/ take for granted. Declared only: examples are not
// linked.
#include <mercer/mercer.hpp>

#include "core/budget.hpp"
#include "core/exact_sum.hpp"
#include "core/output_file.hpp"
#include "core/packed.hpp"
#include "core/segments.hpp"
#include "core/spill.hpp"
#include "core/team.hpp"
#include "core/text_form.hpp"
#include "learn/run/checkpoint.hpp"
#include "learn/theory/sanger_path.hpp"
#include "learn/theory/theory.hpp"
#include "learn/theory/theory_integrator.hpp"
#include "linalg/lapack.hpp"
#include "linalg/stacked_qr.hpp"
#include "maps/map_row.hpp"
#include "operators/centred_factor.hpp"
#include "operators/column_means.hpp"
#include "operators/kernel_matrix.hpp"
#include "operators/scatter.hpp"
#include "pca/rounding.hpp"
#include "solvers/krylov.hpp"
#include "solvers/tall_block.hpp"

#include <string>

using namespace mercer;

extern Index d;
extern double depth, trace, t;
extern Matrix<double> block, start, q, w0, w;
extern Vector<double> lambda;
extern Matrix<double> theta;  // k×p: k weights in the coordinates of p eigenvectors
extern Rows<double> rows;
extern Kernel kernel;
extern Moments moments;
extern Hebbian learner;
extern std::string bytes;
extern Team& team;
extern Index segments;
extern SegmentRange mine;
struct Reading {
  void read();
};
extern Reading share;

template <class... T>
void use(const T&...);
