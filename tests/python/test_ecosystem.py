"""Inside scikit-learn's and its friends' machinery."""
import copy
import pickle

import joblib
import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA as ScikitPCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

FITTED = [
    mercer.PCA(2, whiten=True),
    mercer.PCA(0.9),
    mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
    mercer.KernelPCA(2, kernel="precomputed"),
    mercer.IncrementalPCA(2),
    mercer.HebbianPCA(2, random_state=0),
    mercer.Nystroem(n_components=10, random_state=0),
]


@pytest.fixture(scope="module")
def labelled():
    from conftest import DATA

    frame = pandas.read_csv(DATA / "wine.csv")
    return frame.drop(columns="cultivar"), frame["cultivar"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", FITTED, ids=str)
def test_pickle_and_copy_keep_every_bit(iris, estimator, dtype, tmp_path):
    X = iris[:40].astype(dtype)
    X = X @ X.T if getattr(estimator, "kernel", "") == "precomputed" else X
    fitted = clone(estimator).fit(X)
    expected = fitted.transform(X)
    joblib.dump(fitted, tmp_path / "model.joblib")
    for other in (
        pickle.loads(pickle.dumps(fitted)),
        copy.copy(fitted),
        copy.deepcopy(fitted),
        joblib.load(tmp_path / "model.joblib"),
    ):
        assert other.get_params() == fitted.get_params()
        assert (other.transform(X) == expected).all()
        for name in vars(fitted):
            if name.endswith("_") and isinstance(getattr(fitted, name), np.ndarray):
                assert (getattr(other, name) == getattr(fitted, name)).all()


@pytest.mark.parametrize("estimator", FITTED, ids=str)
def test_parameters_survive_clone_and_set_params(estimator):
    again = clone(estimator)
    assert again.get_params() == estimator.get_params()
    again.set_params(n_components=1)
    assert again.n_components == 1 and estimator.n_components != 1
    with pytest.raises(ValueError, match="Invalid parameter"):
        again.set_params(colour="blue")
    assert repr(again).startswith(type(again).__name__ + "(")


def test_pipeline_and_cross_validation_score_as_with_scikit_learn(labelled):
    X, y = labelled

    def pipeline(pca):
        return make_pipeline(StandardScaler(), pca, LogisticRegression(max_iter=1000))

    ours = cross_val_score(pipeline(mercer.PCA(5)), X, y, cv=4)
    theirs = cross_val_score(pipeline(ScikitPCA(5)), X, y, cv=4)
    assert ours == pytest.approx(theirs)


def test_grid_search_finds_scikit_learns_parameters(labelled):
    X, y = labelled
    grid = {"pca__n_components": [1, 2, 5], "pca__whiten": [False, True]}

    def search(pca, n_jobs):
        last = LogisticRegression(max_iter=1000)
        steps = Pipeline([("scale", StandardScaler()), ("pca", pca), ("fit", last)])
        return GridSearchCV(steps, grid, cv=3, n_jobs=n_jobs).fit(X, y)

    theirs = search(ScikitPCA(), 1)
    for n_jobs in (1, 2):
        ours = search(mercer.PCA(), n_jobs)
        assert ours.best_params_ == theirs.best_params_
        assert ours.best_score_ == pytest.approx(theirs.best_score_)


def test_grid_search_over_the_likelihood(iris):
    search = GridSearchCV(mercer.PCA(), {"n_components": [1, 2, 3]}, cv=3).fit(iris)
    theirs = GridSearchCV(ScikitPCA(), {"n_components": [1, 2, 3]}, cv=3).fit(iris)
    assert search.best_params_ == theirs.best_params_
    assert search.best_score_ == pytest.approx(theirs.best_score_)


def test_unions_and_columns(labelled):
    X, _ = labelled
    union = FeatureUnion([("pca", mercer.PCA(2)), ("rbf", mercer.KernelPCA(3, kernel="rbf"))])
    assert union.fit_transform(X).shape == (178, 5)
    columns = ColumnTransformer([("few", mercer.PCA(1), list(X.columns[:3]))])
    assert list(columns.fit(X).get_feature_names_out()) == ["few__pca0"]


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_workers_find_the_same(iris, backend):
    def scores(seed):
        return mercer.PCA(2).fit_transform(iris * seed)

    expected = [scores(seed) for seed in range(1, 5)]
    found = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(_scores)(iris, seed) for seed in range(1, 5)
    )
    for a, b in zip(found, expected):
        assert np.allclose(a, b)


def _scores(iris, seed):
    return mercer.PCA(2).fit_transform(iris * seed)


@pytest.mark.parametrize("estimator", FITTED[:3] + FITTED[4:], ids=str)
def test_set_output_gives_frames_with_names(labelled, estimator):
    X, _ = labelled
    estimator = clone(estimator).set_output(transform="pandas").fit(X)
    frame = estimator.transform(X)
    assert isinstance(frame, pandas.DataFrame)
    prefix = type(estimator).__name__.lower()
    assert list(frame.columns) == [f"{prefix}{i}" for i in range(frame.shape[1])]
    assert list(estimator.get_feature_names_out()) == list(frame.columns)
    again = clone(estimator).set_output(transform="pandas").fit_transform(X)
    assert isinstance(again, pandas.DataFrame) and list(again.columns) == list(frame.columns)
    assert list(estimator.feature_names_in_) == list(X.columns)


def test_estimators_are_scikit_learns_for_isinstance():
    from sklearn import decomposition, kernel_approximation

    assert isinstance(mercer.PCA(), decomposition.PCA)
    assert isinstance(mercer.KernelPCA(), decomposition.KernelPCA)
    assert isinstance(mercer.IncrementalPCA(), decomposition.IncrementalPCA)
    assert isinstance(mercer.Nystroem(), kernel_approximation.Nystroem)


def test_other_sums_of_threads_give_the_same(digits):
    for estimator in (mercer.PCA(5), mercer.KernelPCA(5, kernel="rbf"), mercer.IncrementalPCA(5)):
        scores = [
            clone(estimator).set_params(n_jobs=n).fit_transform(digits) for n in (1, 2, -1, None)
        ]
        for other in scores[1:]:
            assert np.allclose(other, scores[0], atol=1e-8)
