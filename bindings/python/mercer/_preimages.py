"""Pre-images for kernel PCA."""
import numpy as np
from scipy import linalg
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted


class RidgePreimages:
    """scikit-learn's inverse transform: kernel ridge regression of the rows on their scores."""

    # Solved here because the library's pre-images regress about the mean of the rows and choose
    # alpha and the kernel of the scores themselves, which other numbers than scikit-learn's follow.
    def _fit_inverse_transform(self, X_transformed, X):
        k = self._get_kernel(X_transformed)
        k.flat[:: len(k) + 1] += self.alpha
        self.dual_coef_ = linalg.solve(k, X, assume_a="pos", overwrite_a=True)
        self.X_transformed_fit_ = X_transformed

    def inverse_transform(self, X):
        """Map scores back to rows by kernel ridge regression.

        As in scikit-learn, the rows are not centred: `alpha` shrinks towards 0, and not towards the
        mean of the rows.

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
        return self._get_kernel(X, self.X_transformed_fit_) @ self.dual_coef_
