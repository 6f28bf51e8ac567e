"""PCA and kernel PCA of Dask collections, on threads of this process and on processes that are killed."""
import os
import re
import signal
import subprocess
import sys
import time

import dask
import numpy as np
import pytest
from scipy import sparse

import mercer
from conftest import ROOT, same_columns

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")

import mercer.dask  # noqa: E402

RNG = np.random.default_rng(5)
X = RNG.normal(size=(700, 6)) @ np.diag([3.0, 2, 1, 0.5, 0.2, 0.1]) + [1e3, 0, 5, 7, 0, 1]
FRAME = pandas.DataFrame(X, columns=list("abcdef"))
Z = X[:, 1:4]
KERNEL = "rbf(gamma=0.1)"


def array(rows=X, chunk=150):
    return da.from_array(rows, chunks=(chunk, rows.shape[1]))


def unknown(rows=X, chunk=150):
    """The same with chunk sizes that are known only when they are computed."""
    found = array(rows, chunk)
    return found[found[:, 0] > -np.inf]


def agree(pca, local, collection, rows, tolerance=1e-12):
    """Variances and scores of the two, relative to the first variance."""
    first = local.explained_variance_[0]
    np.testing.assert_allclose(pca.explained_variance_, local.explained_variance_, atol=tolerance * first, rtol=0)
    np.testing.assert_allclose(pca.mean_, local.mean_, rtol=1e-13, atol=1e-12)
    lazy = pca.transform(collection)
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(
        lazy.compute(scheduler="synchronous"), local.transform(rows), atol=tolerance * np.sqrt(first), rtol=0
    )


@pytest.fixture(scope="module", autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_components": 2},
        {"n_components": 0.95},
        {"n_components": 3, "whiten": True},
        {"n_components": 2, "scale": True},
        {"n_components": 4, "map": "polynomial(degree=2)"},
        {"n_components": 2, "map": "x2^2, x3*x4, x5"},
    ],
    ids=str,
)
def test_M_G7_results_are_those_of_all_rows(options):
    rows = X - [1e3, 0, 0, 0, 0, 0] if "map" in options else X
    pca = mercer.dask.PCA(**options).fit(array(rows))
    local = mercer.PCA(**options).fit(rows)
    assert pca.n_components_ == local.n_components_
    agree(pca, local, array(rows, 90), rows)


def test_M_G7_chunks_of_any_kind():
    local = mercer.PCA(3).fit(X)
    for collection in (array(), unknown(), da.from_array(X, chunks=(200, 2)), unknown()[:, :].rechunk({1: 4})):
        pca = mercer.dask.PCA(3).fit(collection)
        agree(pca, local, collection, X)
    assert pca.transform(array()).chunks == ((150, 150, 150, 150, 100), (3,))
    empty_between = da.concatenate([array()[:300], array()[:0], array()[300:]])
    agree(mercer.dask.PCA(3).fit(empty_between), local, empty_between, X)
    single = array(X.astype(np.float32))
    agree(mercer.dask.PCA(3).fit(single), mercer.PCA(3).fit(X.astype(np.float32).astype(float)), single, X, 1e-4)


def test_M_G7_data_frames_keep_their_names(tmp_path):
    frame = dd.from_pandas(FRAME, npartitions=4)
    local = mercer.PCA(2).fit(FRAME)
    pca = mercer.dask.PCA(2).fit(frame)
    agree(pca, local, frame, FRAME)
    assert list(pca.feature_names_in_) == list("abcdef")
    mapped = mercer.dask.PCA(1, map="log(d + 100) + b").fit(frame)
    wanted = np.var(np.log(FRAME["d"] + 100) + FRAME["b"], ddof=1)
    np.testing.assert_allclose(mapped.explained_variance_, [wanted], rtol=1e-11)
    integers = dd.from_pandas(FRAME.round().astype(int), npartitions=3)
    agree(mercer.dask.PCA(2).fit(integers), mercer.PCA(2).fit(FRAME.round()), integers, FRAME.round())


def test_M_G7_wide_arrays_in_columns_are_joined():
    W = RNG.normal(size=(30, 900))
    local = mercer.PCA().fit(W)
    for wide in (da.from_array(W, chunks=(7, 200)), unknown(W, 7)):
        pca = mercer.dask.PCA().fit(wide)
        assert pca.n_components_ == 30
        agree(pca, local, wide, W)
    few = da.from_array(X[:4], chunks=(2, 3))  # fewer rows than columns
    agree(mercer.dask.PCA(2).fit(few), mercer.PCA(2).fit(X[:4]), few, X[:4])


def test_joined_columns_cut_rows_where_chunks_would_be_large():
    from mercer._dask_blocks import blocks_of

    large = blocks_of(da.zeros((60000, 1000), chunks=(60000, 100)))
    assert max(large.counts) * 1000 * 8 <= 128 << 20 and sum(large.counts) == 60000
    assert blocks_of(da.zeros((600, 1000), chunks=(60, 100))).counts == [60] * 10


def test_sparse_chunks():
    S = sparse.random(300, 8, 0.3, random_state=1, format="csr")
    blocks = da.from_array(S.toarray(), chunks=(70, 8)).map_blocks(sparse.csr_matrix, dtype=float)
    pca = mercer.dask.PCA(3).fit(blocks)
    agree(pca, mercer.PCA(3).fit(S.toarray()), blocks, S.toarray())


def test_inverse_transform_is_lazy_and_that_of_all_rows():
    pca, local = mercer.dask.PCA(2).fit(array()), mercer.PCA(2).fit(X)
    back = pca.inverse_transform(pca.transform(array()))
    assert isinstance(back, da.Array) and back.shape == X.shape
    np.testing.assert_allclose(back.compute(), local.inverse_transform(local.transform(X)), rtol=1e-12, atol=1e-9)


def test_columns_without_variance_are_components_as_in_memory():
    Y = np.column_stack([X[:, :2], np.ones(len(X))])
    pca = mercer.dask.PCA().fit(array(Y))
    assert pca.components_.shape == mercer.PCA().fit(Y).components_.shape == (3, 3)


def nystroem(rows, landmarks, kernel=KERNEL, k=3):
    """Eigenvalues of the centred Nystroem approximation, by its definition."""
    c = mercer.kernel_matrix(kernel, rows, landmarks)
    values, vectors = np.linalg.eigh(mercer.kernel_matrix(kernel, landmarks))
    phi = c @ (vectors / np.sqrt(values))
    phi -= phi.mean(axis=0)
    return np.linalg.svd(phi, compute_uv=False)[:k] ** 2


def test_M_G7_landmarks_give_the_nystroem_eigenvalues():
    for approximation in ("nystrom(landmarks=60)", "nystrom(landmarks=60, by=cholesky)", "cholesky(rank=60)"):
        kpca = mercer.dask.KernelPCA(3, kernel=KERNEL, approximation=approximation, random_state=2)
        kpca.fit(array(Z))
        assert {tuple(row) for row in kpca.X_fit_} <= {tuple(row) for row in Z}
        assert len(kpca.X_fit_) == 60
        np.testing.assert_allclose(kpca.eigenvalues_, nystroem(Z, kpca.X_fit_), rtol=1e-9)
        scores = kpca.transform(unknown(Z)).compute()
        np.testing.assert_allclose(scores.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose((scores**2).sum(axis=0), kpca.eigenvalues_, rtol=1e-9)
        exact = mercer.KernelPCA(3, kernel=KERNEL).fit(Z).eigenvalues_
        found = kpca.report()["approximation"]
        assert (kpca.eigenvalues_ <= exact + 1e-9).all()
        assert (exact <= kpca.eigenvalues_ + found["eigenvalue_above"]).all()


def test_M_G7_all_rows_as_landmarks_are_exact_kernel_pca():
    kpca = mercer.dask.KernelPCA(3, kernel=KERNEL, approximation="nystrom(landmarks=700)").fit(array(Z))
    exact = mercer.KernelPCA(3, kernel=KERNEL).fit(Z)
    np.testing.assert_allclose(kpca.eigenvalues_, exact.eigenvalues_, rtol=1e-10)
    same_columns(kpca.transform(array(Z)).compute(), exact.transform(Z), 1e-8)


def test_M_G7_landmarks_depend_on_the_seed_and_not_on_chunks():
    for approximation in ("nystrom(landmarks=20)", "cholesky(rank=20)"):
        fits = [
            mercer.dask.KernelPCA(2, kernel=KERNEL, approximation=approximation, random_state=seed).fit(rows)
            for seed, rows in ((1, array(Z)), (1, unknown(Z, 57)), (2, array(Z)))
        ]
        first, same, other = (np.sort(fit.X_fit_, axis=0) for fit in fits)
        assert (first == same).all() and not (first == other).all()


def test_M_G7_cholesky_reaches_its_tolerance_and_an_error_limit_refuses():
    kpca = mercer.dask.KernelPCA(2, kernel=KERNEL, approximation="cholesky(tolerance=0.01)").fit(array(Z))
    landmarks = kpca.X_fit_
    c = mercer.kernel_matrix(KERNEL, Z, landmarks)
    left = len(Z) - np.trace(c @ np.linalg.solve(mercer.kernel_matrix(KERNEL, landmarks), c.T))
    found = kpca.report()["approximation"]["trace_error_ratio"]
    np.testing.assert_allclose(found, left / len(Z), rtol=1e-7)
    assert found <= 0.01 < 2 * 0.01
    with pytest.raises(ValueError, match="more than the limit of 1e-06"):
        mercer.dask.KernelPCA(2, kernel=KERNEL, approximation="nystrom(landmarks=9, error=1e-6)").fit(array(Z))


def test_M_G7_fourier_features_are_those_of_the_fit_in_memory():
    options = {"kernel": KERNEL, "approximation": "fourier(features=300)", "random_state": 3}
    kpca = mercer.dask.KernelPCA(2, **options).fit(array(Z))
    local = mercer.KernelPCA(2, **options).fit(Z)
    np.testing.assert_allclose(kpca.eigenvalues_, local.eigenvalues_, rtol=1e-11)
    np.testing.assert_allclose(kpca.transform(array(Z)).compute(), local.transform(Z), atol=1e-11)
    ours, theirs = (fit.report()["approximation"] for fit in (kpca, local))
    K = mercer.kernel_matrix(KERNEL, Z)
    phi = mercer._mercer.features_of(kpca.to_local()._model, Z, 1)
    exact = np.linalg.norm(K - phi @ phi.T) / np.linalg.norm(K)
    for found in (ours, theirs):
        assert abs(found["frobenius_error_ratio"] - exact) <= 4 * found["standard_error"]


def test_models_are_files_of_the_command_line(tmp_path, program):
    np.save(tmp_path / "x.npy", Z)
    for name, model in (
        ("pca", mercer.dask.PCA(2, scale=True)),
        ("nystrom", mercer.dask.KernelPCA(2, kernel=KERNEL, approximation="nystrom(landmarks=40)")),
        ("fourier", mercer.dask.KernelPCA(2, kernel=KERNEL, approximation="fourier(features=64)")),
    ):
        model.fit(array(Z)).save(tmp_path / f"{name}.st")
        scores = tmp_path / f"{name}.npy"
        subprocess.run([program, "transform", tmp_path / f"{name}.st", tmp_path / "x.npy", "-q", "-o", scores], check=True)
        np.testing.assert_array_equal(np.load(scores), model.transform(array(Z)).compute())


@pytest.mark.parametrize("section", ["Moment files", "Dask", "Spark and Ray"])
def test_the_examples_of_the_documentation_run(section, tmp_path, monkeypatch):
    page = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
    text = re.search(rf"^## {section}$(.*?)(?=^## |\Z)", page, re.S | re.M)[1]
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    monkeypatch.chdir(tmp_path)
    known = {}
    for block in blocks:
        exec(block, known)


def test_import_mercer_does_not_import_dask():
    code = "import sys, mercer; sys.exit(any(name in sys.modules for name in ('dask', 'pandas', 'distributed')))"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "estimator, rows, error, text",
    [
        (mercer.dask.PCA(), X, TypeError, "not a Dask array or data frame"),
        (mercer.dask.PCA(), da.from_array(X.astype(object), chunks=100), TypeError, "array of object"),
        (mercer.dask.PCA(), da.from_array(X[0], chunks=3), ValueError, "1 dimensions instead of 2"),
        (mercer.dask.PCA(), array()[:0], ValueError, "X has no rows"),
        (mercer.dask.PCA(), array()[:1], ValueError, "X has 1 row; at least 2"),
        (mercer.dask.PCA(7), array(), ValueError, "between 1 and .*=6"),
        (mercer.dask.PCA("mle"), array(), ValueError, "n_components='mle'"),
        (mercer.dask.PCA(map="squares", scale=True), array(), ValueError, "no partition knows"),
        (mercer.dask.PCA(map="sqrt(x2)"), array(), ValueError, "partition 0, which begins with row 1: .*sqrt"),
        (mercer.dask.KernelPCA(kernel="rbf"), array(), ValueError, "mercer-mpi"),
        (
            mercer.dask.KernelPCA(approximation="nystrom(landmarks=9, by=kmeans)"),
            array(), ValueError, "not possible on Dask",
        ),
        (mercer.dask.KernelPCA(approximation="nystrom(landmarks=9000)"), array(), ValueError, "more than the 700 rows"),
        (mercer.dask.KernelPCA(3, kernel="rbf(gamma=1e-14)", approximation="nystrom"), array(Z), ValueError, "rounding"),
        (
            mercer.dask.KernelPCA(kernel="sigmoid(gamma=1, coef0=-1)", approximation="cholesky(rank=2)"),
            da.from_array(np.array([[0.0, 1], [1, 0], [2, 2]]), chunks=2), ValueError, "3 rows has the eigenvalue -",
        ),
    ],
    ids=str,
)
def test_M_P8_bad_input(estimator, rows, error, text):
    with pytest.raises(error, match=text):
        estimator.fit(rows)


def test_M_P8_bad_collections():
    frame = FRAME.assign(name="x", other=pandas.Categorical(["u"] * len(FRAME)))
    with pytest.raises(TypeError, match="the columns 'name', 'other' of X are not of numbers"):
        mercer.dask.PCA().fit(dd.from_pandas(frame, npartitions=2))
    with pytest.raises(ValueError, match="no partitions"):
        mercer.dask.PCA().fit(dd.DataFrame({}, "nothing", FRAME[:0], (None,)))
    pca = mercer.dask.PCA(2).fit(array())
    with pytest.raises(ValueError, match="X has 3 features, but PCA is expecting 6"):
        pca.transform(array(Z))
    with pytest.raises(Exception, match="not fitted"):
        mercer.dask.PCA().transform(array())


def test_M_P8_a_cell_that_is_not_finite_is_named_by_its_row():
    Y = X.copy()
    Y[371, 2] = np.nan
    Y[600, 1] = np.inf
    wanted = r"row 372 \(partition 2, row 72\), column 3 is nan"
    for rows in (array(Y), unknown(Y)):
        with pytest.raises(ValueError, match=wanted):
            mercer.dask.PCA(2).fit(rows)
        with pytest.raises(ValueError, match=wanted):
            mercer.dask.KernelPCA(2, kernel=KERNEL, approximation="cholesky(rank=9)").fit(rows)
    with pytest.raises(ValueError, match=r"partition 1, row \d+\), column 3 \('c'\) is nan"):
        mercer.dask.PCA(2).fit(dd.from_pandas(FRAME.mask(np.isnan(Y)), npartitions=3))
    with pytest.raises(ValueError, match=r"row 18 .*column 1 is inf"):
        W = RNG.normal(size=(30, 900))
        W[17, 0] = np.inf
        mercer.dask.PCA(2).fit(da.from_array(W, chunks=(7, 200)))
    with pytest.raises(ValueError, match=wanted):
        mercer.dask.PCA(2).fit(array()).transform(array(Y)).compute()


# On processes.


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    quick = {
        "distributed.comm.timeouts.connect": "8s",
        "distributed.comm.retry.count": 0,
        "distributed.scheduler.allowed-failures": 10,
    }
    with dask.config.set(quick), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=None
    ) as cluster, distributed.Client(cluster) as client:
        with dask.config.set(scheduler="dask.distributed"):
            yield client


def bits(model):
    """Everything that a fit found, but for its duration."""
    local = model.to_local()
    values = getattr(local, "explained_variance_", None)
    values = local.eigenvalues_ if values is None else values
    return [local._model.components.tobytes(), values.tobytes(), local._model.mean.tobytes()]


def kill(client, workers=None):
    """Kills one worker; its nanny starts another."""
    pid = min((workers or client.run(os.getpid)).values())
    os.kill(pid, signal.SIGKILL)


def rows_in_parts(marker=None, parts=7):
    """Chunks that tasks make. The one that first finds no marker kills its worker."""

    def part(i, rows, marker):
        if i == 4 and marker and not os.path.exists(marker):
            open(marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    chunks = np.array_split(X, parts)
    return da.concatenate(
        [
            da.from_delayed(dask.delayed(part)(i, rows, marker), shape=rows.shape, dtype=float)
            for i, rows in enumerate(chunks)
        ]
    )


MODELS = {
    "pca": lambda: mercer.dask.PCA(3, scale=True),
    "cholesky": lambda: mercer.dask.KernelPCA(2, kernel="rbf(gamma=0.5)", approximation="cholesky(rank=40)"),
}


@pytest.mark.parametrize("name", MODELS)
def test_M_G7_a_worker_that_is_killed_changes_no_bit(client, name, tmp_path):
    make = MODELS[name]
    with dask.config.set(scheduler="synchronous"):
        wanted = bits(make().fit(rows_in_parts()))
    assert bits(make().fit(rows_in_parts())) == wanted
    # Before: rows that it held are computed again.
    held = rows_in_parts().persist()
    __import__("distributed").wait(held)
    kill(client)
    assert bits(make().fit(held)) == wanted
    # During: a task kills its own worker.
    marker = str(tmp_path / "killed")
    model = make().fit(rows_in_parts(marker))
    assert os.path.exists(marker)
    assert bits(model) == wanted
    # After: the model is here, and its scores are computed by the others.
    scores = model.transform(held)
    kill(client)
    with dask.config.set(scheduler="synchronous"):
        here = model.transform(rows_in_parts()).compute()
    np.testing.assert_array_equal(scores.compute(), here)


def test_M_P8_a_worker_without_mercer_is_named(client):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    worker = subprocess.Popen(
        [
            sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address,
            "--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", "without",
        ],
        env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        address = None
        for _ in range(600):
            known = client.scheduler_info()["workers"]
            address = next((a for a, w in known.items() if w["name"] == "without"), None)
            if address:
                break
            time.sleep(0.05)
        assert address
        with pytest.raises(RuntimeError, match=f"the worker {address} has no package `mercer`"):
            mercer.dask.PCA(2).fit(array())
    finally:
        worker.kill()
        worker.wait()
