"""Fits that are stopped and continued from their checkpoint."""
import numpy as np
import pytest

import mercer
from test_team import on

X = np.random.default_rng(3).normal(size=(900, 8))


def kernel_pca(**more):
    return mercer.KernelPCA(6, kernel="rbf(gamma=0.5)", eigen_solver="arpack", memory=1 << 29, **more)


def stop_at(call):
    """A progress function that stops the fit when it is called so many times."""
    calls = []

    def progress(_):
        calls.append(1)
        return len(calls) < call

    return progress


def stopped(estimator, folder, rows=X, **more):
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(rows, checkpoint=folder, **more)
    assert (folder / "passes").read_text().count("\n") > 0


def test_M_G6_a_fit_continues_with_the_same_bits(tmp_path):
    folder = tmp_path / "run"
    expected = kernel_pca().fit(X)
    stopped(kernel_pca(progress=stop_at(6)), folder)
    again = kernel_pca().fit(X, checkpoint=str(folder), resume=True)
    np.testing.assert_array_equal(again.eigenvalues_, expected.eigenvalues_)
    np.testing.assert_array_equal(again.transform(X[:5]), expected.transform(X[:5]))
    assert not list(folder.iterdir())
    linear = dict(svd_solver="arpack", scale=True, random_state=4)
    stopped(mercer.PCA(2, **linear, progress=stop_at(3)), folder)
    again = mercer.PCA(2, **linear).fit(X, checkpoint=folder, resume=True)
    np.testing.assert_array_equal(again.components_, mercer.PCA(2, **linear).fit(X).components_)


def test_M_G6_teams_continue_on_other_sizes(tmp_path):
    folder = tmp_path / "run"
    stopped(kernel_pca(progress=stop_at(6)), folder)

    def fit(team):
        share = np.array_split(X, team.size)[team.rank]
        return kernel_pca().fit(share, team=team, checkpoint=folder, resume=True).eigenvalues_

    for values in on(3, fit):
        np.testing.assert_array_equal(values, kernel_pca().fit(X).eigenvalues_)


def test_M_G6_other_runs_and_wrong_arguments_are_refused(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(ValueError, match="resume=True requires checkpoint"):
        kernel_pca().fit(X, resume=True)
    stopped(kernel_pca(progress=stop_at(6)), folder)
    with pytest.raises(Exception, match="has the checkpoint of an earlier fit; continue that with resume=True"):
        kernel_pca().fit(X, checkpoint=folder)
    with pytest.raises(Exception, match="of another run, which differs in tolerance"):
        kernel_pca(tolerance=1e-7).fit(X, checkpoint=folder, resume=True)
    with pytest.raises(Exception, match="of another run, which differs in the data"):
        kernel_pca().fit(X[::-1], checkpoint=folder, resume=True)
    with pytest.raises(ValueError, match="approximation cannot be combined with checkpoint"):
        mercer.KernelPCA(2, kernel="rbf", approximation="cholesky(rank=9)").fit(X, checkpoint=folder)
