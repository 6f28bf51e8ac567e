"""From scores in a kernel's space back to rows."""
import numpy as np
from scipy import linalg
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted


class RidgePreimages:
    """Kernel ridge regression of the rows on their scores, about the mean of the rows."""

    def _fit_inverse_transform(self, X_transformed, X):
        k = self._get_kernel(X_transformed)
        k.flat[:: len(k) + 1] += self.alpha
        self._inverse_mean = X.mean(axis=0)
        self.dual_coef_ = linalg.solve(k, X - self._inverse_mean, assume_a="pos", overwrite_a=True)
        self.X_transformed_fit_ = X_transformed

    def inverse_transform(self, X):
        """Rows whose scores come near the given ones: kernel ridge regression, about the mean.

        Unlike scikit-learn's, which regresses the rows themselves, it shrinks towards the mean of
        the training rows and not towards 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Points of the input space.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not"
                " set to True when instantiating and hence "
                "the inverse transform is not available."
            )
        check_is_fitted(self)
        X = np.asarray(X, dtype=self.X_transformed_fit_.dtype)
        return self._get_kernel(X, self.X_transformed_fit_) @ self.dual_coef_ + self._inverse_mean
