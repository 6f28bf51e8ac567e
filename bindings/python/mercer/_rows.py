"""What estimators hand to the library: rows, threads, seeds, kernels by name."""
import copy
import operator

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils import check_array, check_random_state

from . import _mercer

FLOATS = (np.float64, np.float32)
_NATIVE = frozenset(map(np.dtype, FLOATS))


def rows_of(X):
    """An array as it is, a CSR matrix as the tuple of its parts, columns ascending."""
    if isinstance(X, np.ndarray) or not sparse.issparse(X):
        return X
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"{X.shape[1]} columns are more than {np.iinfo(np.int32).max}")
    return X.indptr, X.indices, X.data, X.shape[1]


def matrix_of(rows):
    """And back."""
    if not isinstance(rows, tuple):
        return rows
    offsets, columns, values, width = rows
    shape = len(offsets) - 1, width
    return sparse.csr_matrix((values, columns, offsets), shape=shape, copy=False)


class Continues:
    """A copy of an estimator goes on by itself, even a shallow one."""

    def __copy__(self):
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        if getattr(self, "_stream", None) is not None:
            other._stream = copy.deepcopy(self._stream)
        return other


_PLAIN = frozenset((type(None), bool, int, float, str))
_checked = {}  # by class: what reads the parameters, and the latest that were plain and right


def check_parameters(estimator):
    """scikit-learn's check, which takes longer than many a fit, once for the same plain values."""
    kind = type(estimator)
    if kind not in _checked:
        _checked[kind] = operator.itemgetter(*kind._get_param_names()), ()
    read, latest = _checked[kind]
    values = read(estimator.__dict__)
    if latest and all(map(operator.is_, values, latest)):  # nothing of them need be looked at
        return
    if [*map(type, values)] != [*map(type, latest)] or values != latest:
        estimator._validate_params()
    if _PLAIN.issuperset(map(type, values)):
        _checked[kind] = read, values


def _is_ready(X):
    """An array that scikit-learn's validation would give back as it is, if it has enough rows."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in _NATIVE and X.size > 0


def validated(estimator, X, *, reset, ensure_min_samples=1):
    """X as scikit-learn checks it, but for NaN and infinities, which the library looks for."""
    if reset and _is_ready(X) and len(X) >= ensure_min_samples:
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        return X
    return estimator._validate_data(
        X,
        accept_sparse="csr",
        dtype=FLOATS,
        force_all_finite=False,
        reset=reset,
        ensure_min_samples=ensure_min_samples,
    )


def as_fitted(estimator, X):
    """Rows for a fitted estimator; an array that needs no conversion costs next to nothing."""
    known = estimator.__dict__
    if (
        _is_ready(X)
        and X.shape[1] == known.get("n_features_in_")
        and "feature_names_in_" not in known
    ):
        return X
    return validated(estimator, X, reset=False)


def require_finite(estimator, X):
    """Refuses NaN and infinities as scikit-learn does, also where the library refused them first."""
    check_array(X, accept_sparse="csr", dtype=FLOATS, estimator=estimator, input_name="X")


def threads_of(n_jobs):
    """`n_jobs` as joblib reads it; None: what threadpoolctl and the environment allow BLAS."""
    return _mercer.thread_limit() if n_jobs is None else effective_n_jobs(n_jobs)


def seed_of(random_state):
    """A seed drawn from `random_state`; None: the library's default seed, as in C++ and the CLI."""
    if random_state is None:
        return _mercer.default_seed
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def kernel_text(name, gamma, degree, coef0, n_features):
    """The expression for a kernel that scikit-learn has by name; others are expressions."""
    if name in ("linear", "cosine", "additive_chi2"):
        return f"{name}()"
    if name == "chi2":
        return f"chi2(gamma={1.0 if gamma is None else float(gamma)!r})"
    gamma = 1.0 / n_features if gamma is None else float(gamma)
    coef0 = 1.0 if coef0 is None else float(coef0)
    if name in ("rbf", "laplacian"):
        return f"{name}(gamma={gamma!r})"
    if name == "sigmoid":
        return f"sigmoid(gamma={gamma!r}, coef0={coef0!r})"
    if name in ("poly", "polynomial"):
        degree = 3 if degree is None else degree
        if int(degree) != degree:
            raise ValueError(f"degree={degree!r}: the poly kernel takes whole degrees")
        return f"poly(degree={int(degree)}, coef0={coef0!r}, gamma={gamma!r})"
    return name
