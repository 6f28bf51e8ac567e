"""scikit-learn's own laws, with its own exemptions only."""
import pytest
from sklearn import decomposition, kernel_approximation
from sklearn.utils._tags import _safe_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import mercer


@parametrize_with_checks(
    [
        mercer.PCA(),
        mercer.KernelPCA(),
        mercer.IncrementalPCA(),
        mercer.HebbianPCA(),
        mercer.Nystroem(),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_obeys(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
def test_check_estimator_passes_as_a_whole():
    check_estimator(mercer.PCA(whiten=True, svd_solver="full"))
    check_estimator(mercer.KernelPCA(kernel="rbf"))


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (mercer.PCA, decomposition.PCA),
        (mercer.KernelPCA, decomposition.KernelPCA),
        (mercer.IncrementalPCA, decomposition.IncrementalPCA),
        (mercer.Nystroem, kernel_approximation.Nystroem),
    ],
)
def test_no_exemption_but_scikit_learns(ours, theirs):
    assert _safe_tags(ours())["_xfail_checks"] == _safe_tags(theirs())["_xfail_checks"]
    assert _safe_tags(ours()) == _safe_tags(theirs())
    assert not _safe_tags(mercer.HebbianPCA())["_xfail_checks"]


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (mercer.PCA, decomposition.PCA),
        (mercer.KernelPCA, decomposition.KernelPCA),
        (mercer.IncrementalPCA, decomposition.IncrementalPCA),
        (mercer.Nystroem, kernel_approximation.Nystroem),
    ],
)
def test_parameters_and_defaults_are_scikit_learns_and_come_first(ours, theirs):
    import inspect

    mine = inspect.signature(ours.__init__).parameters
    other = inspect.signature(theirs.__init__).parameters
    assert list(mine)[: len(other)] == list(other)
    for name, parameter in other.items():
        assert mine[name].default == parameter.default, name
        assert mine[name].kind == parameter.kind, name
