"""Learned components beside exact ones."""
import pickle
import subprocess

import numpy as np
import pytest
from conftest import DATA, up_to_sign
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
