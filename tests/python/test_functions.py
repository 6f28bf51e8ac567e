"""kernel_matrix, check_kernel, load, save and merge."""
import subprocess

import numpy as np
import pandas
import pytest
from conftest import DATA, same_columns
from scipy import sparse
from sklearn import decomposition
from sklearn.metrics.pairwise import pairwise_kernels

import mercer


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "cosine", "laplacian"])
def test_kernel_matrix_is_scikit_learns(iris, kernel, dtype, storage):
    X = iris.astype(dtype)
    ours = mercer.kernel_matrix(kernel, storage(X), storage(X[:20]))
    theirs = pairwise_kernels(iris, iris[:20], metric=kernel)
    assert ours.dtype == dtype and ours.shape == (150, 20)
    assert np.abs(ours - theirs).max() < (1e-12 if dtype == np.float64 else 1e-5) * theirs.max()
    own = mercer.kernel_matrix(kernel, storage(X))
    assert (own == own.T).all()


def test_kernel_matrix_takes_functions_and_refuses_nonsense(iris):
    assert np.allclose(mercer.kernel_matrix(lambda x, y: x @ y, iris), iris @ iris.T)
    with pytest.raises(ValueError, match="Incompatible dimension"):
        mercer.kernel_matrix("rbf", iris, iris[:, :2])
    with pytest.raises(ValueError, match="wobbly"):
        mercer.kernel_matrix("wobbly()", iris)


def test_parameters_of_a_kernel_are_listed_and_set_by_name():
    kernel = "rbf(gamma=0.5) + 2*rbf*poly(degree=2)"
    assert mercer.kernel_parameters(kernel) == {
        "rbf.gamma": 0.5, "rbf#2.gamma": None, "degree": 2, "coef0": 1, "poly.gamma": 1
    }
    assert mercer.kernel_parameters("linear") == {}
    changed = mercer.kernel_with(kernel, "rbf#2.gamma", 3)
    assert mercer.kernel_parameters(changed)["rbf#2.gamma"] == 3
    with pytest.raises(ValueError, match="several parameters 'gamma'.*rbf#2.gamma"):
        mercer.kernel_with(kernel, "gamma", 3)
    with pytest.raises(ValueError, match="gamma = -1 must be greater than 0"):
        mercer.kernel_with("rbf", "gamma", -1)


def test_check_kernel_has_a_witness(iris):
    good = mercer.check_kernel("rbf", iris)
    assert good.valid and good.n_checked == 150 and good.witness.size == 0
    iris = iris - iris.mean(axis=0)
    bad = mercer.check_kernel("sigmoid(gamma=1, coef0=-1)", iris)
    assert not bad.valid and not bad.positive
    K = mercer.kernel_matrix("sigmoid(gamma=1, coef0=-1)", iris)[np.ix_(bad.sample, bad.sample)]
    assert bad.witness @ K @ bad.witness == pytest.approx(bad.smallest)
    assert bad.smallest < -bad.noise
    assert not mercer.check_kernel(lambda x, y: x[0] - y[0], iris[:20]).symmetric
    assert mercer.check_kernel("precomputed", iris @ iris.T).valid


@pytest.fixture
def wine_frame():
    return pandas.read_csv(DATA / "wine.csv").drop(columns="cultivar")


def scores_of_cli(program, model, data, out):
    subprocess.run([program, "transform", model, data, "-o", out, "--quiet"], check=True)
    return np.load(out)


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "3"],
        ["-k", "3", "--scale", "std"],
        ["-k", "3", "--precision", "float"],
        ["-k", "3", "--kernel", "rbf(gamma=1e-5)"],
        ["-k", "3", "--kernel", "rbf", "--scale", "std", "--precision", "float"],
        ["-k", "2", "--kernel", "rbf(gamma=1e-5)", "--approx", "nystrom(landmarks=40)"],
        ["-k", "2", "--kernel", "rbf(gamma=1e-5)", "--approx", "fourier(features=64)"],
        ["-k", "3", "--map", "squares"],
    ],
    ids=" ".join,
)
def test_a_model_of_the_command_line_has_the_same_scores_to_the_last_bit(
    program, wine_frame, tmp_path, options
):
    data, model = tmp_path / "wine.npy", tmp_path / "model.st"
    single = "float" in options
    X = wine_frame.to_numpy(dtype=np.float32 if single else np.float64)
    np.save(data, X)
    subprocess.run([program, "fit", data, "-o", model, "--quiet", *options], check=True)
    estimator = mercer.load(model)
    ours = estimator.transform(X)
    theirs = scores_of_cli(program, model, data, tmp_path / "scores.npy")
    assert ours.dtype == theirs.dtype == X.dtype
    assert (ours == theirs).all()
    # And through Python once more.
    estimator.save(tmp_path / "again.st")
    assert (tmp_path / "again.st").read_bytes() == model.read_bytes()


def test_a_model_of_python_has_the_same_scores_at_the_command_line(program, wine_frame, tmp_path):
    data = DATA / "wine.csv"
    for number, estimator in enumerate(
        [mercer.PCA(3), mercer.KernelPCA(3, kernel="rbf"), mercer.IncrementalPCA(3),
         mercer.HebbianPCA(2, random_state=0), mercer.Nystroem(n_components=20, random_state=0)]
    ):
        model = tmp_path / f"{number}.st"
        estimator.fit(wine_frame).save(model)
        theirs = scores_of_cli(program, model, data, tmp_path / "scores.npy")
        assert (estimator.transform(wine_frame) == theirs).all()
        again = mercer.load(model)
        assert (again.feature_names_in_ == wine_frame.columns).all()
        assert (again.transform(wine_frame) == theirs).all()


def test_a_learned_model_of_the_command_line_opens(program, tmp_path, iris):
    model, data = tmp_path / "m.st", tmp_path / "iris.npy"
    np.save(data, iris)
    subprocess.run(
        [program, "learn", data, "--rule", "gha", "-k", "2", "-o", model, "--quiet"], check=True
    )
    learned = mercer.load(model)
    assert isinstance(learned, mercer.HebbianPCA)
    assert (
        learned.transform(iris) == scores_of_cli(program, model, data, tmp_path / "s.npy")
    ).all()


def test_load_says_what_is_wrong_with_a_file(tmp_path):
    with pytest.raises(OSError, match="nowhere.st"):
        mercer.load(tmp_path / "nowhere.st")
    (tmp_path / "text.st").write_text("not a model")
    with pytest.raises(ValueError, match="text.st"):
        mercer.load(tmp_path / "text.st")


def test_save_needs_a_fit(tmp_path):
    from sklearn.exceptions import NotFittedError

    for estimator in (mercer.PCA(), mercer.IncrementalPCA(), mercer.KernelPCA()):
        with pytest.raises(NotFittedError):
            estimator.save(tmp_path / "m.st")


def test_merge_is_the_fit_of_all_rows(digits, tmp_path):
    parts = [digits[:500], digits[500:1200], digits[1200:]]
    models = [mercer.PCA().fit(part) for part in parts]
    whole = decomposition.PCA(5, svd_solver="full").fit(digits)
    both = mercer.merge(models, 5)
    assert np.allclose(both.explained_variance_, whole.explained_variance_)
    assert np.allclose(both.explained_variance_ratio_, whole.explained_variance_ratio_)
    same_columns(both.transform(digits), whole.transform(digits), 1e-9)
    for number, model in enumerate(models):
        model.save(tmp_path / f"{number}.st")
    files = mercer.merge([tmp_path / f"{number}.st" for number in range(3)], 5)
    assert np.allclose(files.components_, both.components_)
    with pytest.raises(ValueError, match="precision"):
        mercer.merge([models[0], mercer.PCA().fit(digits.astype(np.float32))])


def tent(a, b):
    return max(0.0, 1.0 - abs(float(a[0] - b[0]))) + float(a @ b)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_M_H2_a_model_of_a_kernel_function_is_loaded_by_its_name(tmp_path, dtype):
    x = np.random.default_rng(1).normal(size=(20, 2)).astype(dtype)
    fitted = mercer.KernelPCA(2, kernel=tent).fit(x)
    fitted.save(tmp_path / "tent.st")
    loaded = mercer.load(tmp_path / "tent.st", kernels={"tent": tent, "other": min})
    assert loaded.kernel is tent
    # The file's rows are in double precision, and so is what the function then computes of floats.
    near = {"rtol": 0, "atol": 0 if dtype == np.float64 else 1e-5}
    np.testing.assert_allclose(loaded.transform(x[:5]), fitted.transform(x[:5]), **near)
    np.testing.assert_array_equal(loaded.eigenvalues_, fitted.eigenvalues_)
    loaded.save(tmp_path / "again.st")
    again = mercer.load(tmp_path / "again.st", kernels={"tent": tent})
    np.testing.assert_array_equal(again.transform(x), loaded.transform(x))
    for kernels in (None, {"other": tent}):
        with pytest.raises(ValueError, match="the kernel 'tent' is a user-defined function"):
            mercer.load(tmp_path / "tent.st", kernels=kernels)
