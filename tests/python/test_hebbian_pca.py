"""Learned components beside exact ones."""
import pickle
import subprocess

import numpy as np
import pytest
from conftest import DATA, table, up_to_sign
from scipy import sparse
from sklearn.base import clone

import mercer


@pytest.fixture
def stream():
    rng = np.random.default_rng(3)
    return rng.normal(size=(4000, 5)) @ np.diag([4, 2, 1, 0.3, 0.1]) + 7


@pytest.mark.parametrize("rule, k", [("gha", 2), ("oja", 1), ("ccipca", 2), ("hebb-normalized", 1)])
def test_fit_finds_the_leading_directions(stream, rule, k):
    learned = mercer.HebbianPCA(k, rule=rule, random_state=0).fit(stream)
    exact = mercer.PCA(k).fit(stream)
    # Within 5 degrees: learning converges like 1/√n.
    assert up_to_sign(learned.components_, exact.components_, axis=1).min() > np.cos(np.radians(5))
    assert np.allclose(learned.explained_variance_, exact.explained_variance_, rtol=0.2)
    assert learned.n_iter_ >= 1
    assert learned.transform(stream).shape == (4000, k)


def test_not_moving_is_not_converged(stream):
    exact = mercer.PCA(1).fit(stream)
    for rate, state in [("auto", "converged"), ("constant(1e-9)", "not moving")]:
        oja = mercer.HebbianPCA(rule="oja", rate=rate, random_state=0).fit(stream)
        assert oja.state_ == state and oja.converged_ == (state == "converged")
        near = up_to_sign(oja.components_, exact.components_, axis=1).min()
        assert (near > np.cos(np.radians(2))) == oja.converged_


@pytest.mark.parametrize("batch", [1, 7, 4000])
def test_batches_of_a_stream_do_not_matter(stream, batch):
    pca = mercer.HebbianPCA(2, random_state=0)
    for begin in range(0, 4000, batch) if batch > 1 else range(200):
        pca.partial_fit(stream[begin : begin + batch])
    whole = mercer.HebbianPCA(2, random_state=0).partial_fit(stream[: pca.n_samples_seen_])
    assert (pca.components_ == whole.components_).all()


def test_float32_is_preserved_and_sparse_rows_learn_the_same(stream):
    pca = mercer.HebbianPCA(2, random_state=0)
    single = clone(pca).fit(stream.astype(np.float32))
    assert single.transform(stream.astype(np.float32)).dtype == np.float32
    dense, rows = clone(pca).partial_fit(stream), clone(pca).partial_fit(sparse.csr_matrix(stream))
    assert np.allclose(dense.components_, rows.components_)


def test_a_pickled_learner_goes_on_bit_for_bit(stream):
    pca = mercer.HebbianPCA(2, random_state=0).partial_fit(stream[:1000])
    other = pickle.loads(pickle.dumps(pca))
    assert (
        pca.partial_fit(stream[1000:]).components_ == other.partial_fit(stream[1000:]).components_
    ).all()


def test_inverse_and_whitening(stream):
    pca = mercer.HebbianPCA(5, random_state=0, epochs=3).fit(stream)
    assert np.allclose(pca.inverse_transform(pca.transform(stream)), stream)
    white = mercer.HebbianPCA(1, whiten=True, random_state=0).fit(stream)
    assert white.transform(stream).std() == pytest.approx(1, rel=0.2)


def test_rates_are_expressions_or_numbers(stream):
    power = mercer.HebbianPCA(1, rate="power(c=0.5,t0=100,a=0.9)", random_state=0).fit(stream)
    constant = mercer.HebbianPCA(1, rate=1e-3, epochs=2, random_state=0).fit(stream)
    for pca in (power, constant):
        assert abs(pca.components_[0, 0]) > 0.99
    assert constant.n_iter_ == 2


def test_what_cannot_work_is_refused(stream):
    with pytest.raises(ValueError, match="rate"):
        mercer.HebbianPCA(rate="fast").fit(stream)
    with pytest.raises(ValueError, match="rule"):
        mercer.HebbianPCA(rule="anti-hebb").fit(stream)
    with pytest.raises(ValueError, match="oja"):
        mercer.HebbianPCA(2, rule="oja").fit(stream)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        mercer.HebbianPCA().partial_fit([[1.0, np.nan], [0.0, 1.0]])


def test_M_E1_plain_hebb_grows_without_a_bound_and_stops_at_a_limit(stream):
    with pytest.raises(RuntimeError, match=r"plain Hebb is unbounded: .*, or limit=1$"):
        mercer.HebbianPCA(rule="hebb", rate=1e-3).fit(stream)
    bounded = mercer.HebbianPCA(
        rule="hebb", rate=1e-3, limit=1, epochs=2, trace_weights=True
    ).fit(stream)
    weights = np.stack([bounded.trace_[f"w1_{j}"] for j in range(1, 6)])
    assert np.abs(weights).max() == 1
    # ‖w‖ grows like e^(λ₁t) before: without a limit it would be far beyond that of weights of 1.
    exact = mercer.PCA(1).fit(stream).explained_variance_[0]
    assert 1 < bounded.trace_["norm"][-1] <= np.sqrt(5)
    assert np.exp(exact * bounded.trace_["time"][-1]) > 1e6


def test_M_E1_the_program_gives_the_same_bounded_weights(program, tmp_path, rings):
    path = tmp_path / "hebb.st"
    subprocess.run(
        [program, "learn", str(DATA / "rings.csv"), "--label", "class", "--rule", "hebb",
         "--limit", "1", "--epochs", "3", "-o", str(path), "-q"],
        check=True,
    )
    ours = mercer.HebbianPCA(rule="hebb", limit=1, epochs=3).fit(rings)
    assert np.array_equal(ours.components_, mercer.load(path).components_)


KERNEL = "rbf(gamma=0.5)"


def test_kernel_hebbian_learning_finds_the_components_of_kernel_pca(rings, stream):
    for kernel, X, k in [(KERNEL, rings, 1), ("linear", stream[:400], 2)]:
        exact = mercer.KernelPCA(k, kernel=kernel).fit(X)
        variances = exact.report()["explained_variance"]
        for landmarks in (None, 100):
            learned = mercer.HebbianPCA(k, kernel=kernel, landmarks=landmarks, epochs=60, ddof=1)
            scores = learned.fit_transform(X)
            assert learned.components_.shape == (k, landmarks or len(X))
            assert up_to_sign(scores, exact.transform(X), axis=0).min() > 0.99
            assert np.allclose(learned.explained_variance_, variances, rtol=0.15)
    short = mercer.HebbianPCA(2, kernel="rbf", epochs=1).fit(rings)
    assert np.array_equal(
        short.components_, mercer.HebbianPCA(2, kernel=KERNEL, epochs=1).fit(rings).components_
    )  # gamma is 1/n_features, as in KernelPCA


@pytest.mark.parametrize("landmarks, rule", [(None, "gha"), (40, "gha"), (40, "ccipca")])
def test_the_program_learns_the_same_in_the_space_of_a_kernel(
    landmarks, rule, program, tmp_path, rings
):
    path = tmp_path / "rings.st"
    subprocess.run(
        [program, "learn", str(DATA / "rings.csv"), "--label", "class", "--kernel", KERNEL, "-k", "2",
         "--rule", rule, "--epochs", "3", "--ddof", "1", "-o", str(path), "-q",
         *(["--landmarks", str(landmarks)] if landmarks else [])],
        check=True,
    )
    theirs = mercer.load(path)
    ours = mercer.HebbianPCA(
        2, rule=rule, kernel=KERNEL, landmarks=landmarks, epochs=3, ddof=1
    ).fit(table("rings.csv"))
    assert np.array_equal(ours.transform(table("rings.csv")), theirs.transform(table("rings.csv")))
    assert ours.report()["explained_variance"] == theirs.report()["explained_variance"]
    ours.save(tmp_path / "ours.st")
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.components_, ours.components_)


def test_what_kernel_hebbian_learning_does_not_have_is_refused(rings):
    for words, message in [
        ({"rule": "ccipca"}, "^rule='ccipca' requires landmarks"),
        ({"theory": True}, "^theory with a kernel requires landmarks"),
        ({"batch_size": 5}, "^batch_size requires landmarks"),
        ({"kernel": "rbff"}, "rbff"),
        ({"kernel": None, "landmarks": 5}, "give kernel as well"),
        ({"landmarks": 0}, "'landmarks' parameter of HebbianPCA must be an int"),
        ({"kernel": 3}, "'kernel' parameter of HebbianPCA must be an instance of 'str'"),
    ]:
        with pytest.raises(ValueError, match=message):
            mercer.HebbianPCA(**{"kernel": KERNEL, "epochs": 1, **words}).fit(rings)
    with pytest.raises(ValueError, match="partial_fit learns without a kernel"):
        mercer.HebbianPCA(kernel=KERNEL).partial_fit(rings)
    learned = mercer.HebbianPCA(kernel=KERNEL, epochs=1).fit(rings)
    with pytest.raises(ValueError, match="no exact inverse"):
        learned.inverse_transform(learned.transform(rings))
