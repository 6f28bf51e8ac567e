"""Estimators as model files, which the command line reads and writes as well."""
import json
import os


class ModelFile:
    """What an estimator over one `_model` has beside scikit-learn's methods."""

    def _fitted_model(self):
        return self._model

    def _saved_model(self):
        return self._fitted_model()

    def save(self, path):
        """Write the model to a file that `mercer.load` and the command line read.

        Parameters
        ----------
        path : str or path-like
            The file is written atomically.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        model = self._saved_model()
        if hasattr(self, "feature_names_in_") and model.space != "precomputed":
            model = model.named([str(name) for name in self.feature_names_in_])
        model.save(os.fspath(path))

    @property
    def eigenvalue_intervals_(self):
        """Intervals that contain the eigenvalues of the exact problem.

        An array of shape (n_components, 2), low and high, of the eigenvalues (variances times
        n_samples - 1); None if the method has none. `report()["certificate"]` has their
        confidence and its basis.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self._fitted_model().eigenvalue_intervals

    @property
    def lost_digits_(self):
        """The error of the scores of new rows, as a sentence.

        None where rounding leaves at least half of the digits; text for kernels that are nearly
        constant on the rows, components of little variance and nearly dependent landmarks.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self._fitted_model().lost_digits() or None

    def report(self):
        """How the model was fitted: solver, residuals, passes, seconds, approximation.

        Returns
        -------
        report : dict
            The keys of `mercer inspect --json`.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return json.loads(self._fitted_model().json())
