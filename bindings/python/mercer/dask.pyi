from typing import Any, Dict, List, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from . import KernelPCA as LocalKernelPCA
from . import PCA as LocalPCA
from . import Path, RandomState

__all__: List[str]

Collection = Any  # dask.array.Array or dask.dataframe.DataFrame

class _Fitted(BaseEstimator):
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    @property
    def eigenvalue_intervals_(self) -> Optional[NDArray[np.float64]]: ...
    def save(self, path: Path) -> None: ...
    def report(self) -> Dict[str, Any]: ...
    def transform(self, X: Collection) -> Any: ...
    def fit_transform(self, X: Collection, y: Any = ...) -> Any: ...

class PCA(_Fitted):
    components_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    singular_values_: NDArray[Any]
    mean_: NDArray[Any]
    noise_variance_: float
    n_components_: int
    n_samples_: int
    def __init__(
        self,
        n_components: Union[None, int, float] = ...,
        *,
        whiten: bool = ...,
        scale: bool = ...,
        map: Optional[str] = ...,
    ) -> None: ...
    def fit(self, X: Collection, y: Any = ...) -> "PCA": ...
    def inverse_transform(self, X: Collection) -> Any: ...
    def to_local(self) -> LocalPCA: ...

class KernelPCA(_Fitted):
    eigenvalues_: NDArray[Any]
    X_fit_: Any
    def __init__(
        self,
        n_components: Optional[int] = ...,
        *,
        kernel: str = ...,
        gamma: Optional[float] = ...,
        degree: int = ...,
        coef0: float = ...,
        approximation: Optional[str] = ...,
        random_state: RandomState = ...,
        tolerance: float = ...,
    ) -> None: ...
    def fit(self, X: Collection, y: Any = ...) -> "KernelPCA": ...
    def to_local(self) -> LocalKernelPCA: ...
