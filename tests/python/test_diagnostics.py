"""probe, rate_conditions, loadings, gradient, score: numbers of the command line, and of NumPy."""
import io
import json
import subprocess

import numpy as np
import pandas
import pytest
from conftest import DATA, table
from scipy import sparse

import mercer


@pytest.fixture(scope="module")
def frame():
    return table("wine.csv").drop(columns="cultivar", errors="ignore")


@pytest.fixture(scope="module")
def run(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("diagnostics")

    def run(*words, model=None):
        if model is not None:
            model.save(folder / "model.st")
            words = [folder / "model.st" if word == "MODEL" else word for word in words]
        call = [str(word) for word in (program, *words)]
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout

    return run


def csv(text):
    return pandas.read_csv(io.StringIO(text), float_precision="round_trip")


RINGS = (DATA / "rings.csv", "--label", "class")


def test_M_A2_the_variance_along_directions_is_a_quadratic_form(rings):
    angles = np.linspace(0, np.pi, 50)
    q = 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    R = np.cov(rings.T)
    found = mercer.probe(rings, q)
    assert np.allclose(found.variances, np.einsum("ij,jk,ik->i", q, R, q) / 9, rtol=1e-13)
    assert np.allclose([found.smallest, found.largest], np.linalg.eigvalsh(R), rtol=1e-13)
    assert np.allclose(found.ratios, found.variances / np.trace(R), rtol=1e-13)
    assert found.variances.max() <= found.largest * (1 + 1e-14)
    assert found.variances.min() >= found.smallest * (1 - 1e-14)
    axes = mercer.PCA().fit(rings)
    at_axes = mercer.probe(rings, axes.components_).variances
    assert np.allclose(at_axes, axes.explained_variance_, rtol=1e-12)
    assert np.allclose(mercer.probe(rings, [1, 0]).variances, R[0, 0])
    assert np.allclose(mercer.probe(sparse.csr_matrix(rings), q).variances, found.variances)
    moments = rings.T @ rings / len(rings)
    about_zero = mercer.probe(rings, q, center=False, ddof=0).variances
    assert np.allclose(about_zero, np.einsum("ij,jk,ik->i", q, moments, q) / 9, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_M_A2_probe_has_the_numbers_of_the_command(dtype, rings, run):
    precision = "float" if dtype == np.float32 else "double"
    for options, words in [({}, ()), ({"scale": True, "ddof": 0}, ("--scale", "std", "--ddof", 0))]:
        theirs = json.loads(
            run("probe", *RINGS, "--direction", "1,1", "--direction", "2,-1", "--json",
                "--precision", precision, *words)
        )
        ours = mercer.probe(rings.astype(dtype), [[1, 1], [2, -1]], **options)
        assert ours.variances.tolist() == [d["variance"] for d in theirs["directions"]]
        assert ours.ratios.tolist() == [d["ratio"] for d in theirs["directions"]]
        assert (ours.largest, ours.smallest, ours.total) == (
            theirs["largest_variance"], theirs["smallest_variance"], theirs["total_variance"]
        )


def test_M_A2_directions_that_are_none_are_refused(rings):
    for directions, message in [
        ([1, 2, 3], "directions have 3 numbers, X has 2 features"),
        ([[1, 0], [0, 0]], r"directions\[1\] is the zero vector"),
        ([[np.nan, 1]], "NaN"),
        ([["a", "b"]], "could not convert"),
    ]:
        with pytest.raises(ValueError, match=message):
            mercer.probe(rings, directions)
    with pytest.raises(ValueError, match="minimum of 2"):
        mercer.probe(rings[:1], [1, 0])


@pytest.mark.parametrize(
    "rate, holds",
    [
        ("1/n", [True, True, True]),
        (0.01, [False, True, False]),
        ("power(c=1,t0=100,a=0.75)", [True, True, True]),
        ("power(c=1,t0=1,a=2)", [True, False, True]),
    ],
)
def test_M_E5_a_rate_tells_which_conditions_it_meets(rate, holds, run):
    conditions = mercer.rate_conditions(rate)
    assert [c.holds for c in conditions] == holds
    text = f"constant({rate})" if not isinstance(rate, str) else rate
    explained = run("learn", "--explain-rate", "--rate", text)
    for c in conditions:
        assert c.condition in explained and c.why in explained


def test_M_E5_what_is_no_rate_is_refused():
    with pytest.raises(ValueError, match="rate"):
        mercer.rate_conditions("soon")
    with pytest.raises(ValueError):
        mercer.rate_conditions(-1.0)


def test_loadings_are_correlations_and_those_of_the_command(frame, run):
    pca = mercer.PCA(3, scale=True).fit(frame)
    found = mercer.loadings(pca)
    assert found.names == list(frame.columns)
    scores = pca.transform(frame)
    expected = np.corrcoef(frame.T, scores.T)[:13, 13:]
    assert np.allclose(found.correlations, expected, atol=1e-12)
    assert np.allclose(found.cos2, expected**2, atol=1e-12)
    assert np.allclose(found.contributions.sum(axis=0), 1)
    theirs = csv(run("inspect", "MODEL", "--loadings", "-o", "-", model=pca))
    for name in ("loadings", "contributions", "correlations", "cos2"):
        for c in range(3):
            column = theirs[f"{name.rstrip('s')}_pc{c + 1}"]
            assert np.array_equal(column, getattr(found, name)[:, c]), name
    with pytest.raises(ValueError, match="linear"):
        mercer.loadings(mercer.KernelPCA(2, kernel="rbf").fit(frame))


def test_gradients_are_slopes_and_those_of_the_command(rings, run):
    named = pandas.DataFrame(rings, columns=["x", "y"])
    kpca = mercer.KernelPCA(2, kernel="rbf(gamma=0.5)").fit(named)
    for component in (0, 1):
        slope = mercer.gradient(kpca, named, component)
        for j in range(2):
            step = np.eye(2)[j] * 1e-5
            ahead, behind = named + step, named - step
            rise = (kpca.transform(ahead) - kpca.transform(behind))[:, component] / 2e-5
            assert np.allclose(slope[:, j], rise, atol=1e-7)
        theirs = csv(run("inspect", "MODEL", "--gradient", DATA / "rings.csv", "--component",
                         component + 1, "-o", "-", model=kpca))
        assert np.array_equal(theirs.select_dtypes("number").to_numpy()[:, -2:], slope)
    with pytest.raises(ValueError, match="component=2 is not between 0 and 1"):
        mercer.gradient(kpca, named, 2)
    own = mercer.KernelPCA(2, kernel=lambda a, b: float(a @ b)).fit(rings)
    with pytest.raises(ValueError, match="has no gradient"):
        mercer.gradient(own, rings)


def test_scores_of_rows_are_distances(iris):
    pca = mercer.PCA(2).fit(iris)
    found = mercer.score(pca, iris)
    y = pca.transform(iris)
    assert np.allclose(found.t2, (y**2 / pca.explained_variance_).sum(axis=1), rtol=1e-12)
    rest = iris - pca.inverse_transform(y)
    assert np.allclose(found.spe, (rest**2).sum(axis=1), atol=1e-12)
    assert found.explained == pytest.approx(pca.explained_variance_ratio_.sum())
    assert np.allclose(found.contributions.sum(axis=0), 1)
    size = ((iris - iris.mean(axis=0)) ** 2).sum(axis=1)
    assert np.allclose(found.cos2, y**2 / size[:, np.newaxis], atol=1e-12)
    outside = (found.t2 > found.t2_limit) + 2 * (found.spe > found.spe_limit)
    assert np.array_equal(found.flags, outside) and 0 < np.count_nonzero(outside) < 8


@pytest.mark.parametrize("file, make", [
    ("wine.csv", lambda X: mercer.PCA(2, scale=True).fit(X)),
    ("rings.csv", lambda X: mercer.KernelPCA(2, kernel="rbf(gamma=0.5)").fit(X)),
    ("wine.csv", lambda X: mercer.PCA(2).fit(X.astype(np.float32))),
])
def test_score_has_the_numbers_of_the_command(file, make, run, tmp_path):
    frame = table(file).drop(columns="cultivar", errors="ignore")
    model = make(frame)
    found = mercer.score(model, frame, level=0.9)
    call = ("score", "MODEL", DATA / file, "--flag", 0.9)
    theirs = csv(run(*call, "-o", "-", "--contributions", "-q", model=model))
    assert np.array_equal(theirs["t2"], found.t2) and np.array_equal(theirs["spe"], found.spe)
    assert np.array_equal(theirs["flag"], found.flags)
    assert np.array_equal(theirs["ctr_pc2"], found.contributions[:, 1])
    assert np.array_equal(theirs["cos2_pc1"], found.cos2[:, 0])
    limits = json.loads(run(*call, "--json", model=model))
    for name in ("t2_limit", "spe_limit", "t2_limit_from", "spe_limit_from"):
        assert getattr(found, name) == limits[name]
    assert found.explained == limits["explained_variance"]
    frame[::2].to_csv(tmp_path / "good.csv", index=False)
    reference = ("--reference", tmp_path / "good.csv")
    theirs = csv(run(*call, *reference, "-o", "-", "-q", model=model))
    again = mercer.score(model, frame, level=0.9, reference=frame[::2])
    assert np.array_equal(theirs["flag"], again.flags)
    assert again.t2_limit != found.t2_limit


def test_scores_without_limits_tell_why(iris):
    found = mercer.score(mercer.PCA(2).fit(iris[:20]), iris, level=0.999)
    assert found.t2_limit is None and found.spe_limit is None
    assert "rows" in found.t2_limit_from and not found.flags.any()
    K = mercer.kernel_matrix("rbf", iris)
    given = mercer.KernelPCA(2, kernel="precomputed").fit(K)
    own = mercer.KernelPCA(2, kernel=lambda a, b: np.exp(-((a - b) ** 2).sum() / 4)).fit(iris)
    assert np.allclose(mercer.score(given, K).t2, mercer.score(own, iris).t2, rtol=1e-8)
    with pytest.raises(ValueError, match="level=2 is not between 0 and 1"):
        mercer.score(given, K, level=2)
    with pytest.raises(ValueError, match="features"):
        mercer.score(given, K[:, :5])
    with pytest.raises(ValueError, match="Nystroem has features without variances"):
        mercer.score(mercer.Nystroem(n_components=5).fit(iris), iris)
