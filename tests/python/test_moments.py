"""Moments of parts: the PCA of all rows, in bytes, files and processes."""
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas
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


def test_M_G1_merged_bits_do_not_depend_on_threads():
    code = (
        "import hashlib, mercer, numpy as np;"
        "X = np.random.default_rng(3).normal(size=(900, 300)) * 10.0 ** -np.linspace(0, 12, 300) + 1e6;"
        "parts = [mercer.Moments(300).update(X[i : i + 300]) for i in (0, 300, 600)];"
        "print(hashlib.sha256(parts[0].merge(parts[1]).merge(parts[2]).to_bytes()).hexdigest())"
    )
    bits = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(bits) == 1


def covariance_of_parts(X, exact, tolerance):
    """The largest error of variances and covariances, relative to the standard deviations, of 100
    random cuts, groupings and orders."""
    rng = np.random.default_rng(11)
    deviations = np.sqrt(np.diag(exact))
    worst = 0.0
    for _ in range(100):
        cuts = np.sort(rng.choice(np.arange(1, len(X)), size=rng.integers(1, 12), replace=False))
        parts = [mercer.Moments(X.shape[1], n_jobs=1).update(part) for part in np.split(X, cuts)]
        while len(parts) > 1:  # any tree
            i, j = rng.choice(len(parts), size=2, replace=False)
            both = mercer.Moments.from_bytes(parts[i].to_bytes()).merge(parts[j])
            parts = [part for at, part in enumerate(parts) if at not in (i, j)] + [both]
        pca = parts[0].model()
        found = (pca.components_.T * pca.explained_variance_) @ pca.components_
        worst = max(worst, (np.abs(found - exact) / np.outer(deviations, deviations)).max())
    assert worst <= tolerance, worst


def exact_covariance(X):
    """In rational numbers, rounded once."""
    columns = [[Fraction(float(x)) for x in column] for column in X.T]
    n = len(X)
    means = [sum(column) / n for column in columns]
    d = len(columns)
    found = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            terms = zip(columns[i], columns[j])
            found[i, j] = float(sum((a - means[i]) * (b - means[j]) for a, b in terms) / (n - 1))
    return found


def test_M_G1_any_grouping_and_order_is_within_1e13_of_the_variance():
    Y = np.random.default_rng(7).normal(size=(400, 4)) @ np.array(
        [[1, 0.5, 0, 0], [0, 1, 0.2, 0], [0, 0, 1, 0.3], [0, 0, 0, 1]]
    )
    covariance_of_parts(Y, exact_covariance(Y), 1e-13)


def test_M_G1_a_mean_ten_orders_above_the_deviation_is_within_1e9():
    Y = 1e5 + 1e-5 * np.random.default_rng(8).normal(size=(400, 3))
    covariance_of_parts(Y, exact_covariance(Y), 1e-9)


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


def test_M_G1_names_of_data_frames_are_kept_and_checked():
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    moments = mercer.Moments(3).update(frame[:20]).update(frame[20:])
    assert list(moments.model(2).feature_names_in_) == ["a", "b", "c"]
    swapped = frame[["b", "a", "c"]]
    with pytest.raises(ValueError, match="column 1 is 'b' and was 'a' before"):
        moments.update(swapped)
    assert moments.n_samples == 60
    with pytest.raises(ValueError, match="column 1 is 'b'"):
        mercer.Moments(3, feature_names=["a", "b", "c"]).update(swapped)
    with pytest.raises(ValueError, match="column 1 is 'b'"):
        mercer.Moments.from_bytes(moments.to_bytes()).update(swapped)
    unnamed = mercer.Moments(3).update(frame.to_numpy()).update(frame)
    assert unnamed.n_samples == 120
