"""While it computes: threads, interrupts, progress, and processes that fork."""
import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import mercer
from mercer import _mercer


def test_threads_follow_threadpoolctl(iris):
    most = _mercer.thread_limit()
    with threadpool_limits(limits=1):
        assert _mercer.thread_limit() == 1
        mercer.PCA(2).fit(iris)
        assert _mercer.thread_limit() == 1
    assert _mercer.thread_limit() == most


def test_the_default_seed_is_that_of_the_library(digits, tmp_path):
    kernel = "rbf(gamma=0.001)"
    options = dict(kernel=kernel, approximation="fourier(features=64)")
    ours = mercer.KernelPCA(2, **options).fit(digits)
    again = mercer.KernelPCA(2, **options).fit(digits)
    assert np.array_equal(ours.eigenvalues_, again.eigenvalues_)
    np.save(tmp_path / "digits.npy", digits)
    command = [os.environ["MERCER_PROGRAM"], "fit", tmp_path / "digits.npy", "--kernel", kernel, "-k", "2",
               "--approx", options["approximation"], "-o", tmp_path / "m.st", "--quiet"]
    subprocess.run(command, check=True)
    theirs = mercer.load(tmp_path / "m.st")
    assert ours.report()["eigenvalues"] == theirs.report()["eigenvalues"]


def tasks_during(fit):
    """Threads that there are while a fit tells its progress, beyond those before."""
    before = most = len(os.listdir("/proc/self/task"))

    def look(progress):
        nonlocal most
        most = max(most, len(os.listdir("/proc/self/task")))

    fit(look)
    return most - before


def test_a_fit_starts_no_more_threads_than_it_may(digits):
    def fit(n_jobs):
        return lambda look: mercer.KernelPCA(
            3, kernel="rbf", eigen_solver="arpack", n_jobs=n_jobs, progress=look
        ).fit(np.tile(digits, (2, 1)))

    assert tasks_during(fit(1)) == 0
    assert tasks_during(fit(2)) <= 1  # none where it ends before it is asked
    with threadpool_limits(limits=1):
        assert tasks_during(fit(None)) == 0


def test_threads_follow_the_environment():
    code = "from mercer import _mercer; print(_mercer.thread_limit())"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert out.stdout.strip() == b"1"


def test_a_fit_leaves_the_limits_of_others_alone(digits):
    from threadpoolctl import threadpool_info

    before = [pool["num_threads"] for pool in threadpool_info()]
    mercer.KernelPCA(3, kernel="rbf").fit(digits)
    mercer.PCA(3).fit_transform(digits)
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_other_python_threads_run_during_a_fit():
    X = np.random.default_rng(0).normal(size=(3000, 30))
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.perf_counter()
    mercer.KernelPCA(10, kernel="rbf").fit(X)
    end = time.perf_counter()
    done.set()
    ticker.join()
    # A fit that held the interpreter would leave none in its middle half.
    quarter = (end - begin) / 4
    assert any(begin + quarter < t < end - quarter for t in ticks)


def test_two_threads_can_use_one_model_and_fit_their_own(digits):
    pca = mercer.KernelPCA(3, kernel="rbf", gamma=1e-3).fit(digits[:500])
    expected = pca.transform(digits)
    found = []

    def work():
        found.append(pca.transform(digits))
        mercer.PCA(3).fit(digits)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and all((scores == expected).all() for scores in found)


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import mercer
    X = np.random.default_rng(0).normal(size=(100_000, 40))
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        {work}
    except KeyboardInterrupt:
        print("interrupted")
        mercer.PCA(2).fit(X[:100])          # and goes on
        sys.exit(0)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    "work",
    [
        "mercer.KernelPCA(20, kernel='rbf', n_jobs=1).fit(X)",
        "mercer.HebbianPCA(5, epochs=10_000).fit(X)",
        "mercer.KernelPCA(2, kernel='rbf', n_jobs=1).fit(X[:8_000]).transform(np.tile(X, (10, 1)))",
        "mercer.KernelPCA(2, kernel=lambda x, y: float(x @ y)).fit(X[:5_000])",
    ],
    ids=["kernel fit", "learning", "transform", "kernel function"],
)
def test_ctrl_c_ends_a_long_run(work):
    # Minutes of work each; a run that could not be interrupted would end with 3, or by the time
    # limit, which leaves an overloaded machine time to start.
    code = textwrap.dedent(INTERRUPTED).format(work=work)
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=250)
    assert out.returncode == 0, out.stderr.decode()
    assert out.stdout == b"interrupted\n"


def test_progress_is_told(digits):
    seen = []
    mercer.KernelPCA(5, kernel="rbf", progress=seen.append).fit(digits)
    assert seen and all(isinstance(p, mercer.Progress) for p in seen)
    assert all(0 <= p.done <= p.total for p in seen if p.total)
    for estimator in (mercer.PCA(2), mercer.HebbianPCA(1, random_state=0)):
        seen.clear()
        estimator.set_params(progress=seen.append).fit(digits)
        assert seen


def test_a_progress_callback_can_stop_or_fail(digits):
    with pytest.raises(KeyboardInterrupt):
        mercer.KernelPCA(5, kernel="rbf", progress=lambda p: False).fit(digits)

    def fails(p):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        mercer.PCA(5, progress=fails).fit(digits)
    assert mercer.PCA(5).fit(digits).n_components_ == 5


@pytest.mark.parametrize("tqdm", [True, False])
def test_verbose_shows_a_bar_on_standard_error(digits, capfd, monkeypatch, tqdm):
    if not tqdm:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    mercer.KernelPCA(5, kernel="rbf", verbose=True).fit(digits)
    out, err = capfd.readouterr()
    assert out == "" and "kernel" in err
    assert ("it/s" in err or "passes" in err) if tqdm else err.endswith(" \r")
    mercer.KernelPCA(5, kernel="rbf").fit(digits)
    assert capfd.readouterr() == ("", "")


def _in_worker(iris):
    return mercer.KernelPCA(2, kernel="rbf").fit_transform(iris), mercer.PCA(2).fit_transform(iris)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_compute_after_use_in_the_parent(iris, method):
    expected = _in_worker(iris)
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        for found in pool.map(_in_worker, [iris] * 4):
            for a, b in zip(found, expected):
                assert np.allclose(a, b)
    assert np.allclose(_in_worker(iris)[0], expected[0])


def test_rows_are_read_as_they_lie():
    code = """
        import resource, numpy as np, mercer
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        X = np.random.default_rng(0).normal(size=(500_000, 50))     # 190 MiB
        mercer.PCA(2).fit(X[:1000])
        before = peak()
        for rows in (X, X[::2], X[:, :40]):
            mercer.PCA(2).fit(rows).transform(rows)
            mercer.IncrementalPCA(2).fit(rows)
        print(peak() - before)
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, check=True)
    # A copy of the smallest of them would take 95 MiB; scores and sums of two threads take 8.
    assert int(out.stdout) < 40


def test_nothing_leaks(iris):
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    X = np.tile(iris, (100, 1))  # 15,000 × 4, half a megabyte
    for _ in range(20):
        mercer.PCA(2).fit(X).transform(X)
        mercer.IncrementalPCA(2).fit(X).components_
    before = peak()
    for _ in range(200):
        mercer.PCA(2).fit(X).transform(X)
        mercer.IncrementalPCA(2).fit(X).components_
    # 200 leaked scores would be 48 MB.
    assert peak() - before < 20_000


def test_l7_explain_tells_what_fit_does_and_fits_nothing():
    X = np.random.default_rng(3).normal(size=(700, 5))
    for estimator in (
        mercer.PCA(2),
        mercer.PCA(map="squares"),
        mercer.PCA("mle"),
        mercer.KernelPCA(3, kernel="rbf", gamma=0.1),
        mercer.KernelPCA(3, kernel="rbf", gamma=0.1, approximation="cholesky(rank=40)"),
        mercer.KernelPCA(3, kernel=lambda a, b: float(a @ b)),
    ):
        before = dict(vars(estimator))
        plan = estimator.explain(X)
        assert vars(estimator) == before
        assert isinstance(plan, dict) and isinstance(plan, mercer.Plan)
        assert plan["refusal"] is None and plan["bytes"] > 0 and plan["flops"] > 0
        assert plan["method"] in str(plan) and "rejected" in str(plan)
        if callable(getattr(estimator, "kernel", None)):
            X = X[:60]
        done = estimator.fit(X).report()["plan"]
        assert done["method"] == estimator.explain(X)["method"]
    refused = mercer.KernelPCA(3, kernel="rbf", eigen_solver="dense", memory=1 << 20)
    assert "memory" in refused.explain(np.ones((500, 2)))["refusal"]
    with pytest.raises(ValueError, match="minimum of 2"):
        mercer.PCA(2).explain([[1.0, 3.0]])


def test_M_G8_explain_tells_what_processes_would_cost():
    X = np.random.default_rng(0).normal(size=(600, 4))
    kpca = mercer.KernelPCA(2, kernel="rbf(gamma=0.1)", eigen_solver="randomized", memory=1 << 29)
    alone, four = kpca.explain(X, ranks=1), kpca.explain(X, ranks=4, network="1gbit")
    assert "team" not in kpca.explain(X)
    assert alone["team"]["per_rank"][0]["sent_bytes"] == 0
    assert four["method"] == alone["method"] == "krylov"
    assert len(four["team"]["per_rank"]) == 4
    assert min(rank["sent_bytes"] for rank in four["team"]["per_rank"]) > X.nbytes // 4 * 3
    assert four["team"]["network_seconds"] > 0
    assert "4 processes" in str(four)
    with pytest.raises(ValueError, match="is not a rate"):
        kpca.explain(X, ranks=4, network="fast")
    with pytest.raises(ValueError, match="ranks"):
        kpca.explain(X, ranks=0)
    with pytest.raises(ValueError, match="network requires ranks"):
        kpca.explain(X, network="1gbit")
