import os
from typing import Any, Callable, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import decomposition, kernel_approximation
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

__version__: str

Path = Union[str, "os.PathLike[str]"]
Rows = Any  # array-like or scipy.sparse matrix
RandomState = Union[None, int, np.random.RandomState]
Listener = Callable[["Progress"], Optional[bool]]
KernelFunction = Callable[..., float]
MapFunction = Callable[[NDArray[Any]], NDArray[Any]]

class Progress(NamedTuple):
    what: str
    done: float
    total: float
    unit: str
    note: str = ...

class Eigs(NamedTuple):
    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residuals: NDArray[np.float64]
    n_passes: int
    beyond: float
    confidence: float

class NamedMatrix(NamedTuple):
    values: NDArray[Any]
    rows: Optional[List[str]]
    columns: List[str]

class FeatureSpace(NamedTuple):
    dimension: Union[None, int, float]
    text: str

class Team:
    rank: int
    size: int
    processes_here: int
    def send(self, to: int, data: memoryview) -> None: ...
    def receive(self, source: int, data: memoryview) -> None: ...
    def exchange(self, to: int, out: memoryview, source: int, into: memoryview) -> None: ...
    def broadcast(self, root: int, data: memoryview) -> None: ...

class Plan(Dict[str, Any]):
    def __init__(self, keys: Dict[str, Any], text: str) -> None: ...

class Plot:
    svg: str
    kind: str
    def __init__(self, svg: str, kind: str) -> None: ...
    def save(self, path: Path) -> None: ...
    def _repr_svg_(self) -> str: ...

class RuleComparison(NamedTuple):
    steps: int
    time: float
    mean_gap_per_step: float
    largest_gap_per_step: float
    scaled_gap: float
    expected_gap: float
    largest_gap: float
    last_gap: float
    angle: float
    trace: Dict[str, NDArray[np.float64]]

class RateCondition(NamedTuple):
    condition: str
    holds: bool
    why: str

class Probe(NamedTuple):
    variances: NDArray[np.float64]
    ratios: NDArray[np.float64]
    largest: float
    smallest: Optional[float]
    total: float

class Loadings(NamedTuple):
    names: List[str]
    loadings: NDArray[np.float64]
    contributions: NDArray[np.float64]
    correlations: Optional[NDArray[np.float64]]
    cos2: Optional[NDArray[np.float64]]

class RowScores(NamedTuple):
    t2: NDArray[np.float64]
    spe: Optional[NDArray[np.float64]]
    flags: NDArray[np.int64]
    t2_limit: Optional[float]
    spe_limit: Optional[float]
    t2_limit_from: str
    spe_limit_from: str
    contributions: NDArray[np.float64]
    cos2: Optional[NDArray[np.float64]]
    explained: Optional[float]

class KernelCheck(NamedTuple):
    valid: bool
    symmetric: bool
    positive: bool
    smallest: float
    largest: float
    noise: float
    asymmetry: float
    witness: NDArray[np.float64]
    sample: List[int]
    n_checked: int
    n_rows: int

class _Saved:
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def save(self, path: Path) -> None: ...
    @property
    def eigenvalue_intervals_(self) -> Optional[NDArray[np.float64]]: ...
    @property
    def lost_digits_(self) -> Optional[str]: ...
    def report(self) -> Dict[str, Any]: ...

class _Linear(_Saved):
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    mean_: NDArray[Any]
    n_components_: int
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...

class PCA(_Linear, decomposition.PCA):
    singular_values_: NDArray[Any]
    noise_variance_: float
    n_samples_: int
    def __init__(
        self,
        n_components: Union[None, int, float, Literal["mle"]] = ...,
        *,
        copy: bool = ...,
        whiten: bool = ...,
        svd_solver: Literal["auto", "full", "covariance_eigh", "arpack", "randomized"] = ...,
        tol: float = ...,
        iterated_power: Union[int, Literal["auto"]] = ...,
        n_oversamples: int = ...,
        power_iteration_normalizer: Literal["auto", "QR", "LU", "none"] = ...,
        random_state: RandomState = ...,
        map: Union[None, str, MapFunction] = ...,
        center: bool = ...,
        scale: bool = ...,
        keep_null: bool = ...,
        tolerance: float = ...,
        memory: Optional[int] = ...,
        n_jobs: Optional[int] = ...,
        progress: Optional[Listener] = ...,
        verbose: bool = ...,
    ) -> None: ...
    @property
    def relations_(self) -> List[Dict[str, Any]]: ...
    def smallest_relation(self) -> Dict[str, Any]: ...
    def fit(
        self,
        X: Rows,
        y: Any = ...,
        *,
        team: Optional["Team"] = ...,
        checkpoint: Optional[Path] = ...,
        resume: bool = ...,
    ) -> "PCA": ...
    def fit_transform(self, X: Rows, y: Any = ..., *, team: Optional["Team"] = ...) -> NDArray[Any]: ...
    def score_samples(self, X: ArrayLike) -> NDArray[Any]: ...
    def explain(self, X: Rows, ranks: Optional[int] = ..., network: Optional[str] = ...) -> Plan: ...

class KernelPCA(_Saved, decomposition.KernelPCA):
    eigenvalues_: NDArray[Any]
    gamma_: float
    dual_coef_: NDArray[Any]
    X_transformed_fit_: NDArray[Any]
    @property
    def eigenvectors_(self) -> NDArray[Any]: ...
    @property
    def X_fit_(self) -> Any: ...
    def __init__(
        self,
        n_components: Optional[int] = ...,
        *,
        kernel: Union[str, KernelFunction] = ...,
        gamma: Optional[float] = ...,
        degree: int = ...,
        coef0: float = ...,
        kernel_params: Optional[Dict[str, Any]] = ...,
        alpha: float = ...,
        fit_inverse_transform: bool = ...,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = ...,
        tol: float = ...,
        max_iter: Optional[int] = ...,
        iterated_power: Union[int, Literal["auto"]] = ...,
        remove_zero_eig: bool = ...,
        random_state: RandomState = ...,
        copy_X: bool = ...,
        n_jobs: Optional[int] = ...,
        center: bool = ...,
        approximation: Optional[str] = ...,
        tolerance: float = ...,
        memory: Optional[int] = ...,
        progress: Optional[Listener] = ...,
        verbose: bool = ...,
    ) -> None: ...
    def fit(
        self,
        X: Rows,
        y: Any = ...,
        *,
        team: Optional["Team"] = ...,
        checkpoint: Optional[Path] = ...,
        resume: bool = ...,
    ) -> "KernelPCA": ...
    def fit_transform(
        self, X: Rows, y: Any = ..., *, team: Optional["Team"] = ..., **params: Any
    ) -> NDArray[Any]: ...
    def transform(self, X: Rows) -> NDArray[Any]: ...
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...
    def explain(self, X: Rows, ranks: Optional[int] = ..., network: Optional[str] = ...) -> Plan: ...

class IncrementalPCA(_Linear, decomposition.IncrementalPCA):
    n_samples_seen_: int
    batch_size_: int
    @property
    def singular_values_(self) -> NDArray[Any]: ...
    @property
    def var_(self) -> NDArray[np.float64]: ...
    @property
    def noise_variance_(self) -> float: ...
    def __init__(
        self,
        n_components: Optional[int] = ...,
        *,
        whiten: bool = ...,
        copy: bool = ...,
        batch_size: Optional[int] = ...,
        n_jobs: Optional[int] = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = ...) -> "IncrementalPCA": ...
    def partial_fit(self, X: Rows, y: Any = ..., check_input: bool = ...) -> "IncrementalPCA": ...

class HebbianPCA(_Linear, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    n_samples_seen_: int
    n_iter_: int
    converged_: bool
    state_: str
    n_steps_: int
    trace_: Dict[str, NDArray[Any]]
    theorem_: Dict[str, Any]
    prediction_: Dict[str, Any]
    def __init__(
        self,
        n_components: int = ...,
        *,
        rule: str = ...,
        rate: Union[str, float] = ...,
        kernel: Optional[str] = ...,
        landmarks: Optional[int] = ...,
        epochs: Optional[int] = ...,
        batch_size: int = ...,
        shuffle: bool = ...,
        forgetting: float = ...,
        limit: Optional[float] = ...,
        start: Optional[ArrayLike] = ...,
        until_angle: Optional[float] = ...,
        theory: bool = ...,
        theorem: bool = ...,
        trace_weights: bool = ...,
        ddof: int = ...,
        whiten: bool = ...,
        random_state: RandomState = ...,
        n_jobs: Optional[int] = ...,
        progress: Optional[Listener] = ...,
        verbose: bool = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = ...) -> "HebbianPCA": ...
    def partial_fit(self, X: Rows, y: Any = ...) -> "HebbianPCA": ...

class Nystroem(_Saved, kernel_approximation.Nystroem):
    components_: Any
    component_indices_: NDArray[np.int64]
    normalization_: NDArray[Any]
    def __init__(
        self,
        kernel: Union[str, KernelFunction] = ...,
        *,
        gamma: Optional[float] = ...,
        coef0: Optional[float] = ...,
        degree: Optional[float] = ...,
        kernel_params: Optional[Dict[str, Any]] = ...,
        n_components: int = ...,
        random_state: RandomState = ...,
        n_jobs: Optional[int] = ...,
    ) -> None: ...
    def fit(self, X: Rows, y: Any = ...) -> "Nystroem": ...
    def transform(self, X: Rows) -> NDArray[Any]: ...

Estimator = Union[PCA, KernelPCA, HebbianPCA, Nystroem]

def kernel_matrix(
    kernel: Union[str, KernelFunction],
    X: Rows,
    Y: Optional[Rows] = ...,
    *,
    center: bool = ...,
    gamma: Optional[float] = ...,
    degree: int = ...,
    coef0: float = ...,
    n_jobs: Optional[int] = ...,
) -> NDArray[Any]: ...
def check_kernel(
    kernel: Union[str, KernelFunction],
    X: Rows,
    *,
    gamma: Optional[float] = ...,
    degree: int = ...,
    coef0: float = ...,
    at_most: int = ...,
    n_jobs: Optional[int] = ...,
) -> KernelCheck: ...
def compare_rules(
    X: Rows,
    rules: Tuple[str, str] = ...,
    *,
    rate: Union[str, float] = ...,
    epochs: int = ...,
    n_components: int = ...,
    shuffle: bool = ...,
    start: Optional[ArrayLike] = ...,
    limit: Optional[float] = ...,
    random_state: RandomState = ...,
) -> RuleComparison: ...
def rate_conditions(rate: Union[str, float]) -> List[RateCondition]: ...
def steps_of_rate(rate: Union[str, float], time: float) -> float: ...
def kernel_parameters(kernel: str) -> dict[str, Optional[float]]: ...
def kernel_with(kernel: str, name: str, value: float) -> str: ...
def data(
    name: Literal["clouds", "circle", "ellipse", "parabola", "rings", "moons", "swissroll"],
    rows: Optional[int] = ...,
    *,
    noise: Optional[float] = ...,
    seed: Optional[int] = ...,
) -> Tuple[NDArray[np.float64], Optional[NDArray[np.str_]]]: ...
def eigs(
    operator: Any,
    k: int = ...,
    *,
    smallest: bool = ...,
    tolerance: float = ...,
    max_passes: int = ...,
    memory: Optional[int] = ...,
    random_state: RandomState = ...,
    n_jobs: Optional[int] = ...,
    progress: Optional[Listener] = ...,
) -> Eigs: ...
def fit_operator(
    operator: Any,
    n_components: Union[int, float],
    *,
    trace: Optional[float] = ...,
    centered: bool = ...,
    mean: Optional[ArrayLike] = ...,
    tolerance: float = ...,
    memory: Optional[int] = ...,
    random_state: RandomState = ...,
    n_jobs: Optional[int] = ...,
    progress: Optional[Listener] = ...,
) -> KernelPCA: ...
def export(
    model: Union[Estimator, IncrementalPCA, Path],
    what: str,
    *,
    names: Literal["mercer", "r", "sklearn"] = ...,
) -> NamedMatrix: ...
def matrix(
    X: Rows,
    what: Literal["covariance", "correlation", "scatter", "gram"] = ...,
    *,
    center: bool = ...,
    scale: bool = ...,
    ddof: int = ...,
    sample_weight: Optional[ArrayLike] = ...,
    memory: Optional[int] = ...,
    n_jobs: Optional[int] = ...,
) -> NDArray[np.float64]: ...
def probe(
    X: Rows,
    directions: ArrayLike,
    *,
    center: bool = ...,
    scale: bool = ...,
    ddof: Literal[0, 1] = ...,
    memory: Optional[int] = ...,
    n_jobs: Optional[int] = ...,
) -> Probe: ...
def loadings(model: Union[Estimator, IncrementalPCA, Path]) -> Loadings: ...
def gradient(
    model: Union[Estimator, IncrementalPCA, Path],
    X: Rows,
    component: int = ...,
    *,
    n_jobs: Optional[int] = ...,
) -> NDArray[np.float64]: ...
def score(
    model: Union[Estimator, IncrementalPCA, Path],
    X: Rows,
    *,
    level: float = ...,
    reference: Optional[Rows] = ...,
    n_jobs: Optional[int] = ...,
) -> RowScores: ...
def map_features(map: str, X: Rows, *, n_jobs: Optional[int] = ...) -> NamedMatrix: ...
def feature_space(
    n_features: int,
    *,
    kernel: Optional[str] = ...,
    map: Optional[str] = ...,
    gamma: Optional[float] = ...,
    degree: int = ...,
    coef0: float = ...,
) -> FeatureSpace: ...
PlotKind = Literal[
    "scores", "biplot", "scree", "loadings", "circle", "contour", "t2spe", "axes", "probe", "lift",
    "kernel", "images", "trace", "weights", "alpha",
]

def plot(
    model: Union[Estimator, IncrementalPCA, Path, Mapping[str, ArrayLike]],
    X: Optional[Rows] = ...,
    kind: PlotKind = ...,
    *,
    labels: Optional[ArrayLike] = ...,
    components: Optional[Sequence[int]] = ...,
    ellipses: bool = ...,
    ids: Optional[ArrayLike] = ...,
    level: Optional[float] = ...,
    reference: Optional[Rows] = ...,
    center: bool = ...,
    levels: Optional[int] = ...,
    image_width: Optional[int] = ...,
    title: Optional[str] = ...,
    width: Optional[int] = ...,
    height: Optional[int] = ...,
    n_jobs: Optional[int] = ...,
) -> Plot: ...
def contour(
    model: Union[Estimator, IncrementalPCA, Path],
    X: Optional[Rows] = ...,
    *,
    labels: Optional[ArrayLike] = ...,
    components: Optional[Sequence[int]] = ...,
    levels: Optional[int] = ...,
    size: Optional[int] = ...,
    n_jobs: Optional[int] = ...,
) -> Plot: ...
def load(
    path: Path,
    *,
    kernels: Optional[Dict[str, KernelFunction]] = ...,
    maps: Optional[Dict[str, MapFunction]] = ...,
) -> Estimator: ...
class Moments:
    def __init__(
        self,
        n_features: int,
        *,
        feature_names: Optional[Sequence[str]] = ...,
        center: bool = ...,
        scale: bool = ...,
        ddof: Literal[0, 1] = ...,
        map: Optional[str] = ...,
        n_jobs: Optional[int] = ...,
    ) -> None: ...
    def update(self, X: Rows, sample_weight: Optional[ArrayLike] = ...) -> "Moments": ...
    def merge(self, other: "Moments") -> "Moments": ...
    def model(self, n_components: Union[None, int, float] = ...) -> PCA: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, state: bytes) -> "Moments": ...
    def save(self, path: Path) -> None: ...
    @classmethod
    def load(cls, path: Path) -> "Moments": ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def weight(self) -> float: ...
def merge(models: Sequence[Union[PCA, IncrementalPCA, Path]], n_components: Optional[int] = ...) -> PCA: ...
