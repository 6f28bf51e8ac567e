"""Maps as expressions, and relations that rows satisfy."""
import pickle

import numpy as np
import pandas as pd
import pytest

import mercer


def ellipse(n=300, noise=0.0):
    t = 0.1 + 0.3 * np.arange(n)
    u, v = np.cos(t), np.sin(t)
    r = 1 / np.sqrt(0.7 * u**2 - 0.4 * u * v + 1.9 * v**2)
    return np.c_[r * u, r * v] + noise * np.c_[np.sin(7 * t), np.cos(5 * t)]


def test_M_T4_expressions_equal_the_features_in_numpy(iris):
    pca = mercer.PCA(map="x1^2, log(x3), x2*x4").fit(iris)
    phi = np.c_[iris[:, 0] ** 2, np.log(iris[:, 2]), iris[:, 1] * iris[:, 3]]
    expected = np.linalg.eigvalsh(np.cov(phi.T))[::-1]
    assert np.allclose(pca.explained_variance_, expected, rtol=1e-10)


def test_M_T4_expressions_use_the_names_of_a_frame_and_are_saved(tmp_path):
    frame = pd.DataFrame(ellipse(), columns=["sepal length", "w"])
    pca = mercer.PCA(map="`sepal length`^2, w, exp(w)").fit(frame)
    scores = pca.transform(frame)
    assert np.array_equal(pickle.loads(pickle.dumps(pca)).transform(frame), scores)
    pca.save(tmp_path / "m.st")
    again = mercer.load(tmp_path / "m.st")
    assert again.map == "`sepal length`^2, w, exp(w)"
    assert np.array_equal(again.transform(frame), scores)
    with pytest.raises(ValueError, match="no column 'wi'; did you mean w"):
        mercer.PCA(map="wi^2").fit(frame)


def test_M_T4_a_row_outside_the_domain_is_named():
    with pytest.raises(ValueError, match="row 2: the feature 'log.x1.' takes the logarithm of -1"):
        mercer.PCA(map="log(x1)").fit([[1.0], [-1.0], [2.0]])


def test_M_T3_relations_recover_the_conic():
    pca = mercer.PCA(map="monomials(degree=2)").fit(ellipse())
    (relation,) = pca.relations_
    assert relation["constant"] == 1
    assert relation["terms"] == pytest.approx({"x1^2": 0.7, "x1*x2": -0.4, "x2^2": 1.9}, abs=1e-10)
    assert relation["text"] == "0.700·x1^2 - 0.400·x1*x2 + 1.90·x2^2 = 1.00"
    assert relation["residual"] < 1e-14
    assert pca.report()["rank"] == 2


def test_M_T3_null_directions_are_kept_on_request():
    X = ellipse()
    pca = mercer.PCA(map="monomials(degree=2)", keep_null=True).fit(X)
    assert pca.n_components_ == 3
    assert np.abs(pca.transform(X)[:, 2]).max() < 1e-14
    low, high = pca.eigenvalue_intervals_[2]
    assert low == 0 and high < 1e-20
    assert np.isclose(pca.explained_variance_ratio_.sum(), 1)


def test_M_T3_noisy_rows_have_a_relation_with_standard_errors():
    pca = mercer.PCA(map="plain(degree=2, exactly=yes)").fit(ellipse(noise=1e-3))
    assert pca.relations_ == []
    relation = pca.smallest_relation()
    for name, truth in {"x1^2": 0.7, "x1*x2": -0.4, "x2^2": 1.9}.items():
        assert abs(relation["terms"][name] - truth) < 5 * relation["standard_errors"][name]
    with pytest.raises(ValueError, match="2 of 3 components"):
        mercer.PCA(2, map="plain(degree=2, exactly=yes)").fit(ellipse(noise=1e-3)).smallest_relation()


def test_M_T3_columns_of_a_frame_name_the_terms():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"])
    frame["c"] = frame.a + frame.b
    (relation,) = mercer.PCA().fit(frame).relations_
    assert relation["text"] == "1.00·a + 1.00·b - 1.00·c = 0"


def test_M_T4_the_lectures_names_are_accepted(rings):
    scores = mercer.KernelPCA(2, kernel="gaussian(sigma=2)").fit_transform(rings)
    assert np.allclose(scores, mercer.KernelPCA(2, kernel="rbf(sigma=2)").fit_transform(rings))
    assert mercer.HebbianPCA(1, rule="sanger", random_state=0).fit(rings).report()["method"] == "gha"
