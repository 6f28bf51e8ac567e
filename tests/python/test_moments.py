"""Moments of parts: the PCA of all rows, in bytes, files and processes."""
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import mercer

X = np.random.default_rng(5).normal(size=(300, 4)) @ np.diag([3.0, 2, 1, 0.5]) + [1e4, 0, -3, 7]


def reference(X, weights=None):
    """Variances by NumPy."""
    return np.linalg.eigvalsh(np.cov(X.T, fweights=weights))[::-1]


def test_M_G1_parts_in_any_order_are_all_rows():
    parts = [mercer.Moments(4).update(X[i : i + 60]) for i in range(0, 300, 60)]
    parts.append(mercer.Moments(4).update(X[:0]))
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]):
        whole = mercer.Moments(4)
        for i in order:
            whole.merge(parts[i])
        pca = whole.model()
        assert whole.n_samples == 300 and whole.weight == 300
        np.testing.assert_allclose(pca.explained_variance_, reference(X), rtol=1e-11)
        np.testing.assert_allclose(pca.transform(X), mercer.PCA().fit(X).transform(X), atol=1e-9)


def test_weights_are_repetitions_and_fractions_choose_components():
    weights = np.arange(300) % 3
    moments = mercer.Moments(4).update(X[:100], weights[:100]).update(X[100:], weights[100:])
    assert moments.weight == weights.sum()
    np.testing.assert_allclose(moments.model().explained_variance_, reference(X, weights), rtol=1e-10)
    assert moments.model(n_components=0.8).n_components_ == mercer.PCA(0.8).fit(X.repeat(weights, 0)).n_components_


def test_scale_maps_and_sparse_rows():
    moments = mercer.Moments(4, scale=True).update(X[:50]).update(X[50:])
    np.testing.assert_allclose(
        moments.model(2).explained_variance_, mercer.PCA(2, scale=True).fit(X).explained_variance_
    )
    mapped = mercer.Moments(4, map="squares").update(X)
    np.testing.assert_allclose(mapped.model(2).explained_variance_, reference(X**2)[:2], rtol=1e-9)
    S = sparse.random(200, 4, 0.3, random_state=1, format="csr")
    np.testing.assert_allclose(
        mercer.Moments(4).update(S).model().explained_variance_, reference(S.toarray()), rtol=1e-10
    )


def test_bytes_pickles_files_and_the_command_line_hold_the_same(tmp_path, program):
    moments = mercer.Moments(4, feature_names=list("abcd")).update(X)
    state = moments.to_bytes()
    assert mercer.Moments.from_bytes(state).to_bytes() == state
    assert pickle.loads(pickle.dumps(moments)).to_bytes() == state
    moments.save(tmp_path / "a.mom")
    assert mercer.Moments.load(tmp_path / "a.mom").n_samples == 300
    subprocess.run([program, "merge", tmp_path / "a.mom", "-q", "-o", tmp_path / "a.st"], check=True)
    loaded = mercer.load(tmp_path / "a.st")
    assert (loaded.explained_variance_ == moments.model().explained_variance_).all()
    assert list(loaded.feature_names_in_) == list("abcd")


def test_another_process_sums_a_part(tmp_path):
    np.save(tmp_path / "x.npy", X[100:])
    code = (
        "import mercer, numpy as np, sys;"
        "sys.stdout.buffer.write(mercer.Moments(4).update(np.load(sys.argv[1])).to_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "x.npy"], capture_output=True, check=True)
    pca = mercer.Moments(4).update(X[:100]).merge(mercer.Moments.from_bytes(done.stdout)).model()
    np.testing.assert_allclose(pca.explained_variance_, reference(X), rtol=1e-11)


def test_M_G1_parts_without_rows_or_weight_change_nothing():
    r = np.random.default_rng(0)
    rows = [r.standard_normal((20, 4)) * 1e-5 + 1e5 for _ in range(3)]

    def part(X, weight):
        return mercer.Moments(4).update(X, np.full(len(X), float(weight)))

    nested = part(rows[0][:1], 0).merge(part(rows[1], 2))
    whole = mercer.Moments(4).merge(part(rows[0], 1)).merge(nested).merge(part(rows[2], 1))
    whole.merge(mercer.Moments(4).update(rows[0][:0], np.ones(0)))
    loaded = mercer.Moments.from_bytes(whole.to_bytes())
    assert loaded.n_samples == 61 and loaded.weight == 80
    weights = np.repeat([1, 2, 1], 20)
    expected = reference(np.vstack(rows) - rows[0][0], weights)
    np.testing.assert_allclose(loaded.model().explained_variance_, expected, rtol=1e-7)


def test_M_P8_squares_beyond_a_double():
    small = mercer.Moments(4).update(np.ldexp(X, -525))
    with pytest.raises(ValueError, match="too small to square"):
        small.model()
    with pytest.raises(ValueError, match="too large to square"):
        mercer.Moments(4).update(np.tile(X * 1e200, (30, 1))).to_bytes()


def test_M_P8_bad_input():
    with pytest.raises(ValueError, match="row 2"):
        mercer.Moments(2).update([[1.0, 2], [3, np.nan]])
    with pytest.raises(ValueError, match="3 columns, not 2"):
        mercer.Moments(2).update(np.ones((2, 3)))
    with pytest.raises(ValueError, match="one has 2 columns, the other 3"):
        mercer.Moments(2).merge(mercer.Moments(3))
    with pytest.raises(ValueError, match="only the second is of z-scores"):
        mercer.Moments(2).merge(mercer.Moments(2, scale=True))
    with pytest.raises(ValueError, match="not a moment file"):
        mercer.Moments.from_bytes(b"nothing")
    with pytest.raises(ValueError, match="damaged"):
        mercer.Moments.from_bytes(mercer.Moments(2).update(np.eye(2)).to_bytes()[:-3])
    with pytest.raises(ValueError, match="names for n_features=2"):
        mercer.Moments(2, feature_names=["a"])
    with pytest.raises(ValueError, match="ddof"):
        mercer.Moments(2, ddof=2)
    with pytest.raises(ValueError, match="row"):
        mercer.Moments(2).model()
