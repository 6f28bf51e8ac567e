"""Linear and kernel principal component analysis with scikit-learn's interface.

>>> from mercer import PCA
>>> PCA(n_components=1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.1]]).components_.round(2)
array([[0.69, 0.72]])
"""
from . import _mercer
from ._compare_rules import RuleComparison, compare_rules
from ._data import data
from ._diagnostics import Loadings, RowScores, gradient, loadings, score
from ._eigs import Eigs, eigs, fit_operator
from ._functions import (
    KernelCheck,
    check_kernel,
    kernel_matrix,
    kernel_parameters,
    kernel_with,
    load,
    merge,
)
from ._hebbian_pca import HebbianPCA
from ._incremental_pca import IncrementalPCA
from ._kernel_pca import KernelPCA
from ._moments import Moments
from ._nystroem import Nystroem
from ._objects import FeatureSpace, NamedMatrix, export, feature_space, map_features, matrix
from ._pca import PCA
from ._plan import Plan
from ._plot import Plot
from ._plots import contour, plot
from ._probe import Probe, probe
from ._progress import Progress
from ._rates import RateCondition, rate_conditions, steps_of_rate
from ._team import Team

__version__ = _mercer.__version__
__all__ = [
    "Eigs",
    "FeatureSpace",
    "HebbianPCA",
    "IncrementalPCA",
    "KernelCheck",
    "KernelPCA",
    "Loadings",
    "Moments",
    "NamedMatrix",
    "Nystroem",
    "PCA",
    "Plan",
    "Plot",
    "Probe",
    "Progress",
    "RateCondition",
    "RowScores",
    "RuleComparison",
    "Team",
    "check_kernel",
    "compare_rules",
    "contour",
    "data",
    "eigs",
    "export",
    "feature_space",
    "fit_operator",
    "gradient",
    "kernel_matrix",
    "kernel_parameters",
    "kernel_with",
    "load",
    "loadings",
    "map_features",
    "matrix",
    "merge",
    "plot",
    "probe",
    "rate_conditions",
    "score",
    "steps_of_rate",
]
