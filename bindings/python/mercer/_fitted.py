"""What functions of a fitted model take: an estimator or the path of a model file, and rows."""
import os

from ._functions import load
from ._rows import as_fitted, require_finite, rows_of


def opened(model):
    """The estimator, of the file if `model` is a path."""
    if isinstance(model, (str, os.PathLike)):
        return load(model)
    if not hasattr(model, "_fitted_model"):
        raise TypeError(f"{type(model).__name__} is neither an estimator of mercer nor a path")
    return model


def model_of(estimator):
    """Its model, with the names of its columns."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    fitted = estimator._fitted_model()
    if hasattr(estimator, "feature_names_in_") and fitted.space != "precomputed":
        fitted = fitted.named([str(name) for name in estimator.feature_names_in_])
    return fitted


def require_variances(fitted):
    """Refuses the features of Nystroem, which are no components."""
    if fitted.method == "nystroem":
        raise ValueError(
            "Nystroem has features without variances: use KernelPCA(approximation='nystrom(...)')"
        )


def rows_for(estimator, X):
    """X as the estimator checks it."""
    X = as_fitted(estimator, X)
    require_finite(estimator, X)
    return X


def inputs_of(estimator, X):
    """What the model takes for these rows: kernel values if the kernel is a Python function."""
    if callable(getattr(estimator, "kernel", None)) and hasattr(estimator, "_user_matrix"):
        return rows_of(estimator._user_matrix(X, estimator.X_fit_))
    return rows_of(X)
