"""The stability theorem, first weights and the comparison of rules."""
import mercer
import numpy as np
import pytest

RNG = np.random.default_rng(4)
X = RNG.normal(size=(400, 3)) * [2.0, 1.0, 0.3]


def conditions(estimator):
    return {c["number"]: c["finding"] for c in estimator.theorem_["conditions"]}


def test_M_T5_the_six_conditions():
    oja = mercer.HebbianPCA(rule="oja", rate="power(c=0.05,t0=10)", epochs=5, theorem=True).fit(X)
    found = conditions(oja)
    assert sorted(found) == [1, 2, 3, 4, 5, 6]
    assert found[1] == "proved" and found[5] == "proved" and found[6] == "measured"
    assert oja.theorem_["holds"]
    lam = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    expected = sorted([-2 * lam[0], lam[1] - lam[0], lam[2] - lam[0]], reverse=True)
    np.testing.assert_allclose(oja.theorem_["jacobian"], expected, rtol=1e-9)
    np.testing.assert_allclose(oja.theorem_["time_constants"], 1 / (lam[0] - lam[1:]), rtol=1e-9)
    constant = mercer.HebbianPCA(rule="oja", rate=0.001, epochs=2, theorem=True).fit(X)
    assert conditions(constant)[1] == "violated"
    assert not hasattr(mercer.HebbianPCA(rule="oja").fit(X), "theorem_")


def test_M_T5_equal_eigenvalues_and_rules_without_an_ode():
    axes = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    oja = mercer.HebbianPCA(rule="oja", rate=0.01, epochs=3, theorem=True).fit(axes)
    assert conditions(oja)[5] == "violated"
    assert oja.theorem_["multiplicity"] == 2
    with pytest.raises(ValueError, match="rule='ccipca' has no differential equation.*oja"):
        mercer.HebbianPCA(rule="ccipca", theorem=True).fit(X)


def test_M_T6_steps():
    total = np.cumsum(1 / np.arange(1, 100_001))
    for n in (1, 5, 4095, 4096, 4097, 60_000):
        assert mercer.steps_of_rate("1/n", total[n - 1] - 0.4 / n) == n
    assert np.isinf(mercer.steps_of_rate("power(c=1,a=2)", 2))
    gap = 0.14425 - 0.02161
    time = -np.log(np.tan(np.pi / 180)) / gap
    assert 1e14 < mercer.steps_of_rate("1/n", time) < 2e14
    oja = mercer.HebbianPCA(
        rule="oja", rate="power(c=0.3,t0=10)", start=[1, 1, 0], until_angle=3, epochs=50
    ).fit(X)
    assert oja.prediction_["angle"] == 3
    assert oja.prediction_["reached"] == oja.n_steps_
    q = np.linalg.eigh(np.cov(X.T, bias=True))[1][:, -1]
    cosine = abs(oja.components_[0] @ q)
    assert np.degrees(np.arccos(min(1, cosine))) <= 3 + 1e-6


def test_M_T7_the_path_of_the_weights():
    oja = mercer.HebbianPCA(
        rule="oja", rate=0.002, start=[0, 3, 0], epochs=20, theory=True, trace_weights=True
    ).fit(X)
    w = np.column_stack([oja.trace_[f"w1_{i}"] for i in (1, 2, 3)])
    np.testing.assert_array_equal(w[0], [0, 3, 0])
    assert oja.trace_["step"][0] == 0
    np.testing.assert_allclose(np.linalg.norm(w, axis=1), oja.trace_["norm"], rtol=1e-12)
    assert abs(np.linalg.norm(w[-1]) - 1) < 0.05


def test_M_T7_bad_starts_are_named():
    for start, words in (
        ([0, 0, 0], "all 0"),
        ([np.nan, 1, 0], "is nan"),
        ([1, 0], "2 numbers per component, the rows have 3"),
        ([[1, 0, 0], [0, 1, 0]], "2 rows of weights for n_components=1"),
    ):
        with pytest.raises(ValueError, match=words):
            mercer.HebbianPCA(rule="oja", start=start).fit(X)
    with pytest.raises(ValueError, match="all 0"):
        mercer.HebbianPCA(rule="oja", start=[0, 0, 0]).partial_fit(X)


def test_M_T8_the_gap_per_step_falls_as_the_square_of_the_rate():
    coarse, fine = (mercer.compare_rules(X, rate=eta, epochs=2) for eta in (2e-5, 1e-5))
    assert coarse.steps == 800
    assert 3.7 < coarse.mean_gap_per_step / fine.mean_gap_per_step < 4.3
    assert abs(fine.scaled_gap / fine.expected_gap - 1) < 0.05
    assert coarse.trace["gap_per_step"].shape == coarse.trace["step"].shape
    with pytest.raises(ValueError, match="ccipca"):
        mercer.compare_rules(X, ("oja", "ccipca"))


def test_M_T8_divisor_of_variances():
    a, b = (mercer.HebbianPCA(2, epochs=3, ddof=d).fit(X) for d in (0, 1))
    np.testing.assert_allclose(b.explained_variance_, a.explained_variance_ * 400 / 399, rtol=1e-12)
