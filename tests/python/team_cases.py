"""Fits over a team, for the tests on threads and on processes: what is fitted, and what is refused."""
import numpy as np
import pandas
from scipy import sparse

import mercer

RNG = np.random.default_rng(18)
X = RNG.normal(size=(700, 6)) @ np.diag([3.0, 2, 1, 0.5, 0.2, 0.1]) + [1e3, 0, 5, 7, 0, 1]
Z = X[:, 1:4]
S = sparse.random(600, 20, 0.2, random_state=1, format="csr")
FRAME = pandas.DataFrame(X, columns=list("abcdef"))
MEMORY = 1 << 29  # which the bits of exact kernels depend on

#: Estimators and all rows.
CASES = {
    "all components": (lambda: mercer.PCA(), X),
    "scaled": (lambda: mercer.PCA(3, scale=True), X),
    "covariance": (lambda: mercer.PCA(0.95, svd_solver="covariance_eigh", whiten=True), X),
    "mle": (lambda: mercer.PCA("mle"), X),
    "sparse": (lambda: mercer.PCA(4), S),
    "wide": (lambda: mercer.PCA(3), RNG.normal(size=(40, 900))),
    "single": (lambda: mercer.PCA(2), X.astype(np.float32)),
    "map": (lambda: mercer.PCA(4, map="polynomial(degree=2)"), Z),
    "names": (lambda: mercer.PCA(2), FRAME),
    "kernel": (lambda: mercer.KernelPCA(3, kernel="rbf(gamma=0.1)", memory=MEMORY), Z),
    "arpack": (lambda: mercer.KernelPCA(2, kernel="poly", degree=2, eigen_solver="arpack", memory=MEMORY), X[:, 1:]),
    "landmarks": (lambda: mercer.KernelPCA(2, kernel="rbf", approximation="nystrom(landmarks=40)"), X),
    "cholesky": (lambda: mercer.KernelPCA(2, kernel="rbf(gamma=0.1)", approximation="cholesky(rank=30)",
                                          random_state=1), Z),
    "fourier": (lambda: mercer.KernelPCA(2, kernel="rbf(gamma=0.1)", approximation="fourier(features=60)"), Z),
    "sparse landmarks": (lambda: mercer.KernelPCA(2, kernel="cosine", approximation="cholesky(rank=15)"), S),
    "sparse kernel": (lambda: mercer.KernelPCA(2, kernel="cosine", memory=MEMORY), S),
}


def share(rows, rank, size):
    """Consecutive rows; the second of three processes has none."""
    n = rows.shape[0]
    cuts = [0, n // 5, n // 5, n] if size == 3 else [n * r // size for r in range(size + 1)]
    part = slice(cuts[rank], cuts[rank + 1])
    return rows.iloc[part] if hasattr(rows, "iloc") else rows[part]


def found(model, scores):
    """Everything that a fit found."""
    names = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_",
             "noise_variance_", "n_samples_", "eigenvalues_", "eigenvectors_", "X_fit_", "gamma_", "n_features_in_",
             "feature_names_in_")
    out = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return {**out, "model": model._model.bytes(), "scores": scores}


def fit_alone(name):
    make, rows = CASES[name]
    model = make()
    return found(model, model.fit_transform(rows))


def fit_share(name, team):
    make, rows = CASES[name]
    model = make()
    return found(model, model.fit_transform(share(rows, team.rank, team.size), team=team))


def same(name, results):
    """What the processes found is what one finds in all rows, bit for bit; their scores are its rows."""
    alone = fit_alone(name)
    scores = np.concatenate([result["scores"] for result in results])
    np.testing.assert_array_equal(scores, alone.pop("scores"))
    for result in results:
        result = {key: value for key, value in result.items() if key != "scores"}
        assert result.keys() == alone.keys(), name
        for key, value in alone.items():
            if sparse.issparse(value):
                assert (value != result[key]).nnz == 0, (name, key)
            else:
                np.testing.assert_array_equal(result[key], value, err_msg=f"{name}: {key}")


def with_nan(rows, i, j):
    rows = rows.copy()
    rows[i, j] = np.nan
    return rows


def _fit(estimator, rows, team):
    estimator.fit(share(rows, team.rank, team.size), team=team)


def _stop(progress):
    raise RuntimeError("enough")


#: What raises on all processes, with the type of the error and its message.
WRONG = {
    "nan": (
        lambda team: _fit(mercer.PCA(2), with_nan(X, 650, 1), team),
        ValueError, "row 651, column 2 is nan; remove the row or fill in a number",
    ),
    "nan kernel": (
        lambda team: _fit(mercer.KernelPCA(2, kernel="rbf"), with_nan(X, 650, 1), team),
        ValueError, "row 651, column 2 is nan; remove the row or fill in a number",
    ),
    "nan in approximation": (
        lambda team: _fit(mercer.KernelPCA(2, kernel="rbf", approximation="fourier(features=60)"), with_nan(X, 650, 1),
                          team),
        ValueError, "row 651, column 2 is nan; remove the row or fill in a number",
    ),
    "one rank of text": (
        lambda team: mercer.PCA(2).fit(X if team.rank == 0 else [["x", "y"]], team=team),
        ValueError, "could not convert string to float: 'x'",
    ),
    "one wrong parameter": (
        lambda team: mercer.PCA(2 if team.rank == 0 else -3).fit(X, team=team),
        ValueError, "The 'n_components' parameter of PCA must be an int in the range [0, inf), a float in the range (0, 1), a str among {'mle'} or None. Got -3 instead.",
    ),
    "other options": (
        lambda team: mercer.PCA(2, scale=team.rank == 1).fit(X, team=team),
        ValueError, "scale of rank 1 is not that of rank 0; give all ranks the same options, and rows with the same "
        "columns",
    ),
    "other columns": (
        lambda team: mercer.KernelPCA(2, kernel="rbf(gamma=1)").fit(X[:, team.rank:], team=team),
        ValueError, "the number of columns of rank 1 is not that of rank 0; give all ranks the same options, and rows "
        "with the same columns",
    ),
    "other names": (
        lambda team: mercer.PCA(2).fit(FRAME[list("abcdef" if team.rank == 0 else "bacdef")], team=team),
        ValueError, "the column names of rank 1 are not those of rank 0; give all processes the same columns in the "
        "same order",
    ),
    "no rows": (
        lambda team: mercer.PCA(2).fit(X[:0], team=team),
        ValueError, "the processes of the team have no rows; at least 2 are required",
    ),
    "one row": (
        lambda team: mercer.KernelPCA(2).fit(X[: team.rank == 1], team=team),
        ValueError, "the processes of the team have 1 row; at least 2 are required",
    ),
    "a function": (
        lambda team: mercer.PCA(2, map=np.abs).fit(X, team=team),
        ValueError, "a map that is a function is not distributed over several processes; use a map that a text "
        "describes, or one process",
    ),
    "a kernel function": (
        lambda team: mercer.KernelPCA(2, kernel=np.dot).fit(X, team=team),
        ValueError, "a kernel that is a function is not distributed over several processes; use one process",
    ),
    "precomputed": (
        lambda team: mercer.KernelPCA(2, kernel="precomputed").fit(X, team=team),
        ValueError, "kernel='precomputed' is not distributed over several processes; use one process",
    ),
    "inverse": (
        lambda team: mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X, team=team),
        ValueError, "fit_inverse_transform=True is not distributed over several processes; use one process",
    ),
    "dense": (
        lambda team: mercer.KernelPCA(2, kernel="rbf", eigen_solver="dense").fit(X, team=team),
        ValueError, "this solver is not distributed over several processes for kernels; use eigen_solver='arpack', or "
        "one process",
    ),
    "progress": (
        lambda team: mercer.PCA(2, progress=_stop if team.rank == 1 else None).fit(X, team=team),
        ValueError, "progress: RuntimeError: enough",
    ),
    "stopped": (
        lambda team: mercer.PCA(2, progress=(lambda p: False) if team.rank == 1 else None).fit(X, team=team),
        KeyboardInterrupt, "interrupted",
    ),
    "not a team": (
        lambda team: mercer.PCA(2).fit(X, team=team.rank),
        TypeError, "team is int, not a mercer.Team; mercer.mpi.team(comm) makes one of a communicator",
    ),
}


def error_of(name, team):
    """The type and the message of what this process raises."""
    try:
        WRONG[name][0](team)
    except BaseException as error:
        return type(error), str(error)
    return None, ""


def refused(name, errors):
    _, wanted, message = WRONG[name]
    for kind, text in errors:
        assert kind is not None and issubclass(kind, wanted), (name, kind, text)
        assert text == message, (name, text)
