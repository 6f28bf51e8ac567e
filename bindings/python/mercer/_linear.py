"""What the estimators share whose scores are linear in the rows."""
import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._rows import as_fitted, rows_of, sklearn_words, threads_of


class LinearScores(TransformerMixin):
    """transform and inverse_transform of the estimators whose model is linear."""

    def transform(self, X):
        """Project rows on the components.

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
        with sklearn_words(self, X):
            scores = model.transform(rows_of(X), threads_of(self.n_jobs))
        return self._kept(scores)

    def _kept(self, scores):
        if self.n_components_ == 0:
            return scores[:, :0]
        if self.whiten:
            scores /= self._deviations()
        return scores

    def _deviations(self):
        # Directions of no variance are left as they are, not blown up.
        deviations = np.sqrt(self.explained_variance_)
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
            The points of the principal subspace that have them.
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
