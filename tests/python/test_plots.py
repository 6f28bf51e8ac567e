"""Plots are, byte for byte, those of `mercer plot` and `mercer contour` for the same model."""
import subprocess

import numpy as np
import pandas
import pytest
from conftest import DATA, table

import mercer


@pytest.fixture(scope="module")
def drawn_by_program(program, tmp_path_factory):
    """What the program writes for a command."""
    folder = tmp_path_factory.mktemp("plots")

    def draw(command, model, *words):
        path = folder / "model.st"
        if not isinstance(model, (str, type(folder))):
            model.save(path)
            model = path
        call = [program, command, model, *words, "-o", "-", "--quiet"]
        done = subprocess.run([str(word) for word in call], capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return draw


@pytest.fixture(scope="module")
def linear():
    wine = table("wine.csv").drop(columns="cultivar", errors="ignore")
    labels = pandas.read_csv(DATA / "wine.csv", dtype=str)["cultivar"]
    return mercer.PCA(4, scale=True).fit(wine), wine, labels


def two_columns(name):
    frame = pandas.read_csv(DATA / name, dtype={"class": str})
    return frame.drop(columns="class"), frame["class"]


@pytest.fixture(scope="module")
def kernel():
    rings, labels = two_columns("rings.csv")
    return mercer.KernelPCA(3, kernel="rbf(gamma=0.5)").fit(rings), rings, labels


WINE, RINGS = (DATA / "wine.csv", "--label", "cultivar"), (DATA / "rings.csv", "--label", "class")

LINEAR = {
    "scree": ({}, ()),
    "scores": ({"components": (0, 2), "ellipses": True, "title": "wine"},
               ("--components", "1,3", "--ellipses", "--title", "wine")),
    "biplot": ({"width": 800, "height": 300}, ("--width", 800, "--height", 300)),
    "loadings": ({"components": [3, 1]}, ("--components", "4,2")),
    "circle": ({"components": (1, 0)}, ("--components", "2,1")),
    "t2spe": ({"level": 0.9}, ("--flag", 0.9)),
    "probe": ({"components": (0, 3)}, ("--components", "1,4")),
}


@pytest.mark.parametrize("kind", LINEAR)
def test_M_T9_plots_of_a_linear_model(kind, linear, drawn_by_program):
    pca, wine, labels = linear
    options, words = LINEAR[kind]
    if kind in ("scores", "biplot"):
        options = {**options, "labels": labels}
    assert mercer.plot(pca, wine, kind, **options).svg == drawn_by_program(
        "plot", pca, *WINE, "--kind", kind, *words
    )
    plain = mercer.plot(pca, wine, kind, **({"labels": labels} if "labels" in options else {}))
    assert plain.svg == drawn_by_program("plot", pca, *WINE, "--kind", kind)


@pytest.mark.parametrize("kind", ["scores", "contour", "t2spe", "kernel", "scree"])
def test_M_T9_plots_of_a_kernel_model(kind, kernel, drawn_by_program):
    kpca, rings, labels = kernel
    options = {} if kind in ("t2spe", "scree") else {"labels": labels}
    assert mercer.plot(kpca, rings, kind, **options).svg == drawn_by_program(
        "plot", kpca, *RINGS, "--kind", kind
    )


def test_M_T9_options_of_one_kind(kernel, linear, digits, drawn_by_program):
    kpca, rings, labels = kernel
    centred = mercer.plot(kpca, rings, "kernel", labels=labels, center=True)
    assert centred.svg == drawn_by_program("plot", kpca, *RINGS, "--kind", "kernel", "--center")
    assert centred.svg != mercer.plot(kpca, rings, "kernel", labels=labels).svg

    lines = mercer.plot(kpca, rings, "contour", components=[1, 2], levels=4, width=700)
    assert lines.svg == drawn_by_program(
        "plot", kpca, DATA / "rings.csv", "--exclude", "class", "--kind", "contour",
        "--components", "2,3", "--levels", 4, "--width", 700,
    )

    pca, wine, _ = linear
    limits = mercer.plot(pca, wine[::2], "t2spe", level=0.9, reference=wine)
    assert limits.svg != mercer.plot(pca, wine[::2], "t2spe", level=0.9).svg
    named = mercer.plot(pca, wine, "t2spe", ids=[f"bottle {i}" for i in range(178)])
    assert "bottle 59<" in named.svg

    faces = mercer.PCA(7).fit(digits)
    assert mercer.plot(faces, kind="images", image_width=16).svg == drawn_by_program(
        "plot", faces, "--kind", "images", "--image-width", 16
    )
    assert mercer.plot(faces, kind="images", components=[4]).svg == drawn_by_program(
        "plot", faces, "--kind", "images", "--components", 5
    )


def test_M_T9_limits_from_good_rows(linear, drawn_by_program, tmp_path):
    pca, wine, _ = linear
    wine[::2].to_csv(tmp_path / "new.csv", index=False)
    assert mercer.plot(pca, wine[::2], "t2spe", level=0.9, reference=wine).svg == drawn_by_program(
        "plot", pca, tmp_path / "new.csv", "--kind", "t2spe", "--flag", 0.9,
        "--reference", DATA / "wine.csv",
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["axes", "lift", "probe", "contour"])
def test_M_T9_figures_of_two_columns(kind, dtype, drawn_by_program):
    rings, labels = two_columns("rings.csv")
    rings = rings.astype(dtype)
    map = "monomials(degree=2)" if kind == "lift" else None
    pca = mercer.PCA(map=map).fit(rings)
    options = {} if kind == "probe" else {"labels": labels}
    assert mercer.plot(pca, rings, kind, **options).svg == drawn_by_program(
        "plot", pca, *RINGS, "--kind", kind
    )


def test_M_T9_a_kernel_takes_the_z_scores_of_a_model_with_a_scale(
    program, tmp_path, drawn_by_program
):
    path = tmp_path / "model.st"
    subprocess.run(
        [program, "fit", *WINE, "--scale", "std", "--kernel", "rbf", "-k", "2", "-o", path, "-q"],
        check=True,
    )
    wine = table("wine.csv").drop(columns="cultivar", errors="ignore")
    labels = pandas.read_csv(DATA / "wine.csv", dtype=str)["cultivar"]
    for kind in ("kernel", "scores"):
        assert mercer.plot(path, wine, kind, labels=labels).svg == drawn_by_program(
            "plot", path, *WINE, "--kind", kind
        )


@pytest.mark.parametrize("with_data", [True, False])
def test_contour_is_that_of_the_command(with_data, kernel, drawn_by_program):
    kpca, rings, labels = kernel
    ours = mercer.contour(kpca, rings, labels=labels) if with_data else mercer.contour(kpca)
    words = ("--data", *RINGS) if with_data else ()
    assert ours.svg == drawn_by_program("contour", kpca, *words)
    some = mercer.contour(kpca, components=[0, 1], levels=5, size=300)
    assert some.svg == drawn_by_program("contour", kpca, "-k", 2, "--levels", 5, "--size", 300)
    linear = mercer.PCA().fit(rings)
    assert mercer.contour(linear).svg == drawn_by_program("contour", linear)


@pytest.mark.parametrize("kind", ["trace", "weights", "alpha"])
def test_M_E8_runs_are_drawn_as_by_the_program(kind, program, tmp_path, drawn_by_program):
    rings, _ = two_columns("rings.csv")
    oja = mercer.HebbianPCA(
        rule="oja", rate="constant(0.01)", epochs=2, theory=True, start=[0.3, 1.0], shuffle=False
    ).fit(rings)
    path = tmp_path / "run.csv"
    pandas.DataFrame(oja.trace_).to_csv(path, index=False)
    plot = mercer.plot(oja, kind=kind, title="Oja")
    assert plot.svg == drawn_by_program("plot", path, "--kind", kind, "--title", "Oja")
    assert plot.svg == mercer.plot(oja.trace_, kind=kind, title="Oja").svg
    assert plot.svg == mercer.plot(pandas.read_csv(path), kind=kind, title="Oja").svg
    wide = mercer.plot(oja, kind=kind, width=900)
    assert wide.svg == drawn_by_program("plot", path, "--kind", kind, "--width", 900)


@pytest.mark.parametrize("theory", [True, False])
def test_M_E8_the_plot_of_a_run_is_that_of_learn(theory, program, tmp_path):
    rings, _ = two_columns("rings.csv")
    oja = mercer.HebbianPCA(rule="oja", rate="1/n", epochs=2, theory=theory).fit(rings)
    picture = tmp_path / "run.svg"
    subprocess.run(
        [program, "learn", *RINGS, "--rule", "oja", "--rate", "1/n", "--epochs", "2", "-q",
         "--plot", picture, *(["--theory"] if theory else [])],
        check=True,
    )
    title = f"oja on {DATA / 'rings.csv'}, rate 1/n"
    assert mercer.plot(oja, kind="trace", title=title).svg == picture.read_text()


def test_plots_save_and_show_themselves(kernel, tmp_path):
    kpca, rings, _ = kernel
    plot = mercer.plot(kpca, rings)
    assert plot._repr_svg_() == str(plot) == plot.svg and plot.kind == "scores"
    plot.save(tmp_path / "scores.svg")
    assert (tmp_path / "scores.svg").read_bytes() == plot.svg.encode()
    with pytest.raises(ValueError, match=r"does not end in \.svg"):
        plot.save(tmp_path / "scores.png")
    with pytest.raises(OSError):
        plot.save(tmp_path / "nowhere" / "scores.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["scores.svg"]


def test_kernels_that_are_functions_or_matrices(kernel):
    kpca, rings, labels = kernel
    X = rings.to_numpy()
    gaussian = lambda a, b: float(np.exp(-0.5 * ((a - b) ** 2).sum()))
    own = mercer.KernelPCA(3, kernel=gaussian).fit(X)
    given = mercer.KernelPCA(3, kernel="precomputed").fit(mercer.kernel_matrix(gaussian, X))
    K = mercer.kernel_matrix(gaussian, X)
    assert mercer.plot(own, X, labels=labels).svg == mercer.plot(given, K, labels=labels).svg
    assert mercer.plot(own, X, labels=labels).svg.count("<circle") > len(X) / 2
    for call in (lambda: mercer.contour(own), lambda: mercer.plot(given, K, "kernel")):
        with pytest.raises(ValueError, match="takes kernel values|model has none"):
            call()


REFUSED = [
    ({"kind": "scoress"}, "no plot of kind 'scoress'; did you mean 'scores'"),
    ({"kind": "pie"}, "kind 'pie'; kinds: scores, biplot"),
    ({"kind": "scree", "center": True}, "'scree' have no option center; .*: kernel$"),
    ({"kind": "axes", "components": [0, 1]}, "have no option components"),
    ({"kind": "contour", "height": 300}, "have no option height"),
    ({"kind": "scores", "X": None}, "kind='scores' draws rows: give X"),
    ({"kind": "scores", "labels": ["a"]}, "labels has 1 entries for 150 rows"),
    ({"kind": "scores", "components": (0, 9)}, r"components=\(0, 9\): the model has components 0"),
    ({"kind": "scores", "components": (0, 0)}, "are not two axes"),
    ({"kind": "loadings", "components": []}, "are not panels"),
    ({"kind": "scores", "width": 10}, "width=10 is not a whole number between 240 and 4000"),
    ({"kind": "scores", "height": 1e3}, "height=1000.0 is not a whole number"),
    ({"kind": "t2spe", "level": 99}, "level=99 is not between 0 and 1"),
    ({"kind": "kernel"}, "a kernel that is an expression; this model has none"),
    ({"kind": "images"}, "image_width"),
    ({"kind": "images", "image_width": 0}, "image_width=0"),
    ({"kind": "contour"}, "contour lines need a model of two columns; this one has 4"),
    ({"kind": "weights"}, "draws a learning run: give a HebbianPCA after fit"),
]


@pytest.mark.parametrize("words, message", REFUSED, ids=lambda item: str(item)[:40])
def test_what_cannot_be_drawn_is_refused_in_pythons_words(words, message, iris):
    words = {"X": iris, **words}
    three = np.column_stack([iris[:, :3], iris[:, 3] * 2])
    pca = mercer.PCA().fit(three if words["kind"] != "images" else three[:, :3])
    with pytest.raises(ValueError, match=message) as error:
        mercer.plot(pca, **words)
    assert "`" not in str(error.value) and "--" not in str(error.value)


def test_models_that_cannot_be_drawn_are_refused(kernel, iris):
    kpca, rings, _ = kernel
    for kind in ("biplot", "loadings", "circle", "axes", "probe", "lift", "images"):
        with pytest.raises(ValueError, match="linear|kernel"):
            mercer.plot(kpca, rings, kind)
    with pytest.raises(ValueError, match="one component"):
        mercer.plot(mercer.PCA(1).fit(iris), iris)
    features = mercer.Nystroem(n_components=5).fit(rings)
    for call in (lambda: mercer.plot(features, rings), lambda: mercer.contour(features)):
        with pytest.raises(ValueError, match="Nystroem has features without variances"):
            call()
    with pytest.raises(TypeError, match="ndarray is neither an estimator"):
        mercer.plot(iris, iris)
    with pytest.raises(ValueError, match="NaN"):
        mercer.plot(mercer.PCA().fit(iris), np.full((2, 4), np.nan))
    with pytest.raises(ValueError, match="X has 3 features"):
        mercer.plot(mercer.PCA().fit(iris), iris[:, :3])
    with pytest.raises(ValueError, match="theory=True"):
        mercer.plot(mercer.HebbianPCA(epochs=1).fit(iris), kind="alpha")
    with pytest.raises(ValueError, match="no column 'time'"):
        mercer.plot({"step": [1.0]}, kind="trace")
    with pytest.raises(ValueError, match="set the plotted range with X"):
        mercer.contour(mercer.PCA(map="squares").fit(rings))


def test_a_plot_without_limits_warns(iris):
    pca = mercer.PCA(2).fit(iris[:20])
    with pytest.warns(UserWarning, match="the plot has no limits"):
        mercer.plot(pca, iris[:20], "t2spe", level=0.999)
