"""What the estimators share whose scores are linear in the rows."""
import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._rows import as_fitted, require_finite, rows_of, threads_of


class FromModel:
    """A fitted attribute that is read off the model when somebody asks, and kept from then on.

    What a fit of a millisecond would take to make arrays that few ask for is no small part of it.
    """

    def __init__(self, doc):
        self.__doc__ = doc

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, estimator, owner=None):
        if estimator is None:
            return self
        if not estimator.__sklearn_is_fitted__():
            raise AttributeError(f"{type(estimator).__name__} has no {self._name}: it is not fitted")
        numbers = estimator._fitted_model().attributes(estimator.n_components_)
        for name, value in numbers.items():
            estimator.__dict__.setdefault(name, value)
        return estimator.__dict__[self._name]


class ModelNumbers:
    """The model's numbers under scikit-learn's names."""

    components_ = FromModel("Principal axes, the rows.")
    explained_variance_ = FromModel("Variance along each.")
    explained_variance_ratio_ = FromModel("Its share of the variance.")
    singular_values_ = FromModel("Norms of the centred scores.")
    mean_ = FromModel("Mean of the rows.")
    noise_variance_ = FromModel("Mean variance of what is not kept.")

    @property
    def _n_features_out(self):
        return self.n_components_


NUMBERS = [name for name, value in vars(ModelNumbers).items() if isinstance(value, FromModel)]


class LinearScores(TransformerMixin):
    """transform and inverse_transform of the estimators whose model is linear."""

    def transform(self, X):
        """Project rows onto the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Their scores.
        """
        try:
            model = self._fitted_model()
        except AttributeError:
            check_is_fitted(self)
            raise
        X = as_fitted(self, X)
        try:
            scores = model.transform(rows_of(X), threads_of(self.n_jobs))
        except ValueError:
            require_finite(self, X)
            raise
        return self._kept(scores)

    def _kept(self, scores):
        if self.n_components_ == 0:
            return scores[:, :0]
        if self.whiten:
            scores /= self._deviations()
        return scores

    def _deviations(self):
        # Directions of no variance are left as they are, not blown up.
        model = self._fitted_model()
        variances = model.explained_variance[: self.n_components_]
        deviations = np.sqrt(variances).astype(model.components.dtype)
        smallest = np.finfo(deviations.dtype).eps
        return np.where(deviations < smallest, smallest, deviations)

    def inverse_transform(self, X):
        """Map scores back to the input space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            The points of the principal subspace with these scores.
        """
        check_is_fitted(self)
        model = self._fitted_model()
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {X.shape[1] if X.ndim == 2 else X.shape} features, but "
                f"{type(self).__name__} has {self.n_components_} components."
            )
        if self.n_components_ == 0:
            return np.repeat(self.mean_[np.newaxis], len(X), axis=0)
        if self.whiten:
            X = X * self._deviations()
        return model.inverse(X, threads_of(self.n_jobs))
