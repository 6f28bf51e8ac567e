#include "linalg/lapack.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"

#include <algorithm>

// The Fortran routines that OpenBLAS carries. Hidden string lengths are passed as gfortran does.
extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
             std::size_t);
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* m, double* w, double* z, const int* ldz, int* isuppz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
             std::size_t, std::size_t);
void dsytrd_(const char* uplo, const int* n, double* a, const int* lda, double* d, double* e,
             double* tau, double* work, const int* lwork, int* info, std::size_t);
void dstedc_(const char* compz, const int* n, double* d, double* e, double* z, const int* ldz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t);
void dormtr_(const char* side, const char* uplo, const char* trans, const int* m, const int* n,
             const double* a, const int* lda, const double* tau, double* c, const int* ldc,
             double* work, const int* lwork, int* info, std::size_t, std::size_t, std::size_t);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda,
             double* b, const int* ldb, int* info, std::size_t);
void dgelqf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info, std::size_t);
}

namespace mercer {

namespace {

int lapack_size(Index n) {
  require(n <= 2147483647, Errc::bad_option, "a matrix dimension of {} is too large for LAPACK", n);
  return static_cast<int>(n);
}

void check(int info, const char* routine) {
  require(info == 0, Errc::not_converged,
          "the eigenvalue solver did not converge ({}, info {}); are all values finite?", routine,
          info);
}

/// Below this order syevd is as quick for a few pairs as it is for all.
constexpr Index small_order = 128;

/// From this order on, our threads transform the eigenvectors back, so many at a time.
constexpr Index large_order = 512, turned_vectors = 64;

/// What syevd does, but for the scaling of matrices that are extremely large or small.
SymmetricEigen large_pairs(Matrix<double> a, int threads) {
  const int n = lapack_size(a.rows());
  const auto order = static_cast<std::size_t>(n);
  SymmetricEigen out{Vector<double>(n), Matrix<double>(n, n)};
  std::vector<double> beside(order), scalars(order);
  int info = 0, query = -1;
  double work_size = 0;
  dsytrd_("L", &n, a.data(), &n, out.values.data(), beside.data(), scalars.data(), &work_size,
          &query, &info, 1);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  int lwork = static_cast<int>(work.size());
  dsytrd_("L", &n, a.data(), &n, out.values.data(), beside.data(), scalars.data(), work.data(),
          &lwork, &info, 1);
  int iwork_size = 0;
  dstedc_("I", &n, out.values.data(), beside.data(), out.vectors.data(), &n, &work_size, &query,
          &iwork_size, &query, &info, 1);
  work.resize(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  lwork = static_cast<int>(work.size());
  dstedc_("I", &n, out.values.data(), beside.data(), out.vectors.data(), &n, work.data(), &lwork,
          iwork.data(), &iwork_size, &info, 1);
  check(info, "stedc");
  work = {};
  parallel_for((n + turned_vectors - 1) / turned_vectors, threads, [&](Index panel) {
    const Index first = panel * turned_vectors;
    const int count = lapack_size(std::min<Index>(turned_vectors, n - first));
    std::vector<double> own(static_cast<std::size_t>(count) * 64 + 65 * 64);
    const int size = static_cast<int>(own.size());
    int failed = 0;
    dormtr_("L", "L", "N", &n, &count, a.data(), &n, scalars.data(), out.vectors.row(first).data(),
            &n, own.data(), &size, &failed, 1, 1, 1);
    check(failed, "ormtr");
  });
  return out;
}

bool ordinary_size(const Matrix<double>& upper) {
  double largest = 0;
  for (Index i = 0; i < upper.rows(); ++i)
    largest = std::max(largest, upper.row(i).tail(upper.cols() - i).cwiseAbs().maxCoeff());
  return largest > 1e-100 && largest < 1e100;
}

SymmetricEigen all_pairs(Matrix<double> a, int threads) {
  if (a.rows() >= large_order && ordinary_size(a)) return large_pairs(std::move(a), threads);
  const int n = lapack_size(a.rows());
  SymmetricEigen out{Vector<double>(n), {}};
  int info = 0, query = -1, iwork_size = 0;
  double work_size = 0;
  // The upper triangle of a row-major matrix is the lower one of its column-major reading, and
  // eigenvectors returned as columns are then our rows.
  dsyevd_("V", "L", &n, a.data(), &n, out.values.data(), &work_size, &query, &iwork_size, &query,
          &info, 1, 1);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  const int lwork = static_cast<int>(work.size()), liwork = iwork_size;
  dsyevd_("V", "L", &n, a.data(), &n, out.values.data(), work.data(), &lwork, iwork.data(), &liwork,
          &info, 1, 1);
  check(info, "syevd");
  out.vectors = std::move(a);
  return out;
}

/// Are the rows orthonormal? syevr has been seen to return a vector twice where eigenvalues
/// cluster.
bool orthonormal_rows(const Matrix<double>& v) {
  Matrix<double> gram(v.rows(), v.rows());
  multiply_transposed(v.data(), v.rows(), v.cols(), v.cols(), v.data(), v.rows(), v.cols(),
                      gram.data(), v.rows());
  gram.diagonal().array() -= 1;
  return gram.cwiseAbs().maxCoeff() <= 1e-10;  // NaN is none
}

/// A few pairs by syevr. Where eigenvalues cluster it may find fewer than it was asked for: false,
/// and `a` is as it was.
bool try_top_pairs(Matrix<double>& a, Index k, SymmetricEigen& out) {
  const int n = lapack_size(a.rows()), first = lapack_size(a.rows() - k + 1);
  out = {Vector<double>(n), Matrix<double>(k, a.rows())};
  // LAPACK works in the triangle that it reads; the other one keeps a copy.
  const Vector<double> diagonal = a.diagonal();
  a.triangularView<Eigen::StrictlyLower>() = a.transpose();
  const double unused = 0, tolerance = 0;
  int info = 0, query = -1, iwork_size = 0, found = 0;
  double work_size = 0;
  std::vector<int> support(2 * static_cast<std::size_t>(k));
  dsyevr_("V", "I", "L", &n, a.data(), &n, &unused, &unused, &first, &n, &tolerance, &found,
          out.values.data(), out.vectors.data(), &n, support.data(), &work_size, &query,
          &iwork_size, &query, &info, 1, 1, 1);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  const int lwork = static_cast<int>(work.size()), liwork = iwork_size;
  dsyevr_("V", "I", "L", &n, a.data(), &n, &unused, &unused, &first, &n, &tolerance, &found,
          out.values.data(), out.vectors.data(), &n, support.data(), work.data(), &lwork,
          iwork.data(), &liwork, &info, 1, 1, 1);
  if (info == 0 && found == k && orthonormal_rows(out.vectors)) {
    out.values.conservativeResize(k);
    return true;
  }
  a.triangularView<Eigen::StrictlyUpper>() = a.transpose();
  a.diagonal() = diagonal;
  return false;
}

/// New rows taken in at once: several times the triangle, so that re-factoring it costs little,
/// but no more than 64 MiB of them.
Index room_for(Index columns) {
  const Index most = (Index{8} << 20) / std::max<Index>(columns, 1);
  return std::max<Index>(std::min(4 * columns, most), 256);
}

}  // namespace

SymmetricEigen symmetric_eigen(Matrix<double> a, Index k, int threads) {
  const Index n = a.rows();
  const BlasThreads one(1);
  const bool few = n > small_order && k < n / 3;
  SymmetricEigen out;
  if (!few || !try_top_pairs(a, k, out)) out = all_pairs(std::move(a), threads);
  // LAPACK's order is ascending.
  const Index have = out.vectors.rows();
  for (Index i = 0, j = have - 1; i < j; ++i, --j) out.vectors.row(i).swap(out.vectors.row(j));
  out.values.reverseInPlace();
  if (k < have) {
    out.vectors.conservativeResize(k, n);
    out.values.conservativeResize(k);
  }
  return out;
}

Triangle::Triangle(Index columns)
    : columns_(columns),
      buffer_(Matrix<double>::Zero(columns + room_for(columns), columns)),
      scalars_(static_cast<std::size_t>(columns)) {}

double* Triangle::rows() { return buffer_.data() + columns_ * columns_; }

void Triangle::push(Index count) {
  if (count == 0) return;
  // A row-major (d + count)×d matrix reads as a column-major d×(d + count) one, whose LQ
  // factorisation has L = Rᵀ: R comes back row-major, in place.
  const int d = lapack_size(columns_), n = lapack_size(columns_ + count);
  int info = 0, query = -1;
  if (work_.empty()) {
    const int widest = lapack_size(buffer_.rows());
    double work_size = 0;
    dgelqf_(&d, &widest, buffer_.data(), &d, scalars_.data(), &work_size, &query, &info);
    work_.resize(static_cast<std::size_t>(work_size));
  }
  const int lwork = static_cast<int>(work_.size());
  dgelqf_(&d, &n, buffer_.data(), &d, scalars_.data(), work_.data(), &lwork, &info);
  check(info, "gelqf");
  // What lies beside L are the reflectors, of no further use.
  for (Index i = 1; i < columns_; ++i) std::fill_n(buffer_.data() + i * columns_, i, 0.0);
}

void Triangle::push(const Triangle& other) {
  const Matrix<double> r = other.factor();
  for (Index done = 0; done < columns_;) {
    const Index count = std::min(capacity(), columns_ - done);
    std::copy_n(r.data() + done * columns_, count * columns_, rows());
    push(count);
    done += count;
  }
}

Matrix<double> Triangle::factor() const { return buffer_.topRows(columns_); }

void times_inverse(Matrix<double> a, Matrix<double>& b, int threads) {
  // Our upper triangle is LAPACK's lower one, our rows its columns.
  const int n = lapack_size(a.rows());
  int info = 0;
  {
    const BlasThreads one(1);
    dpotrf_("L", &n, a.data(), &n, &info, 1);
  }
  require(info == 0, Errc::not_converged, "a matrix of order {} is not positive definite", n);
  const BlasThreads one(1);
  constexpr Index panel = 32;
  parallel_for((b.rows() + panel - 1) / panel, n < 512 ? 1 : threads, [&](Index p) {
    const Index begin = p * panel;
    const int rows = lapack_size(std::min(panel, b.rows() - begin));
    int unused = 0;
    dpotrs_("L", &n, &rows, a.data(), &n, b.row(begin).data(), &n, &unused, 1);
  });
}

RightSvd right_svd(Matrix<double> a, int /*threads*/) {
  const BlasThreads one(1);
  // Row-major n×d reads as column-major d×n: its left singular vectors, returned as columns, are
  // our right ones as rows.
  const int m = lapack_size(a.cols()), n = lapack_size(a.rows()), least = std::min(m, n);
  RightSvd out{Vector<double>(least), Matrix<double>(least, a.cols())};
  Matrix<double> discarded(a.rows(), least);
  std::vector<int> iwork(8 * static_cast<std::size_t>(least));
  int info = 0, query = -1;
  double work_size = 0;
  dgesdd_("S", &m, &n, a.data(), &m, out.values.data(), out.vectors.data(), &m, discarded.data(),
          &least, &work_size, &query, iwork.data(), &info, 1);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  const int lwork = static_cast<int>(work.size());
  dgesdd_("S", &m, &n, a.data(), &m, out.values.data(), out.vectors.data(), &m, discarded.data(),
          &least, work.data(), &lwork, iwork.data(), &info, 1);
  check(info, "gesdd");
  return out;
}

}  // namespace mercer
