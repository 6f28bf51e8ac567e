"""Plots of models and learning runs, as SVG."""
import difflib
import warnings
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from . import _mercer
from ._fitted import inputs_of, model_of, opened, require_variances, rows_for
from ._plot import Plot
from ._rows import rows_of, threads_of

# By kind: whether the rows of X are drawn, and the options besides title, width and height.
_AXES = ("components", "labels", "ellipses")
_KINDS = {
    "scores": (True, _AXES),
    "biplot": (True, _AXES),
    "scree": (False, ()),
    "loadings": (False, ("components",)),
    "circle": (False, ("components",)),
    "contour": (False, ("components", "labels", "levels")),
    "t2spe": (True, ("ids", "level", "reference")),
    "axes": (True, ("labels",)),
    "probe": (False, ("components",)),
    "lift": (True, ("labels",)),
    "kernel": (True, ("labels", "center")),
    "images": (False, ("components", "image_width")),
    "trace": (False, ()),
    "weights": (False, ()),
    "alpha": (False, ()),
}
_OF_RUNS = ("trace", "weights", "alpha")
_TWO_AXES = ("scores", "biplot", "circle", "probe")
_NO_HEIGHT = ("contour", "trace")  # it follows from the panels


def plot(
    model,
    X=None,
    kind="scores",
    *,
    labels=None,
    components=None,
    ellipses=False,
    ids=None,
    level=None,
    reference=None,
    center=False,
    levels=None,
    image_width=None,
    title=None,
    width=None,
    height=None,
    n_jobs=None,
):
    """Plot a fitted model, its rows or a learning run.

    The SVG text is that of `mercer plot` for the same model and rows; docs/pictures.md shows every
    kind.

    Parameters
    ----------
    model : estimator, str, path-like or dict
        A fitted estimator, or a model file. For 'trace', 'weights' and 'alpha' a
        :class:`HebbianPCA` after `fit`, or its `trace_`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The rows of 'scores', 'biplot', 't2spe', 'axes', 'lift' and 'kernel'; the dots of 'contour'.
        With a precomputed kernel, kernel values with the training rows.
    kind : str, default='scores'
        - scores: rows by two components
        - biplot: scores, with the columns as arrows
        - scree: explained variance
        - loadings: bars of the loadings
        - circle: correlations of the columns with two components
        - contour: contour lines of the components in the plane of two columns
        - t2spe: rows by T2 and SPE, with control limits
        - axes: rows of two columns with the principal axes
        - probe: variance along a direction that turns
        - lift: rows in three dimensions, with the plane of two components
        - kernel: the kernel over distance, and its matrix
        - images: mean and components as images
        - trace: a learning run and its theory
        - weights, alpha: path of the weights, decay of the modes (with `theory=True`)
    labels : array-like of shape (n_samples,), default=None
        Of the rows, shown by colour: scores, biplot, axes, lift, kernel, contour.
    components : list of int, default=None
        From 0. Two axes of scores, biplot, circle and probe; panels of loadings, contour, images.
    ellipses : bool, default=False
        scores, biplot: an ellipse around each label that contains 95 % of a Gaussian.
    ids : array-like of shape (n_samples,), default=None
        t2spe: names of rows outside the limits; None: their numbers, from 1.
    level : float, default=None
        t2spe: confidence level of the limits; None: 0.99.
    reference : {array-like, sparse matrix} of shape (n, n_features), default=None
        t2spe: estimate the limits from these rows, known to be good and not in the fit.
    center : bool, default=False
        kernel: the centred matrix JKJ.
    levels : int, default=None
        contour: lines per panel; None: 9.
    image_width : int, default=None
        images: pixels per line; None: square images.
    title : str, default=None
    width, height : int, default=None
        In pixels. The height of contour and trace follows from their width.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    plot : Plot

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.data("rings")
    >>> kpca = mercer.KernelPCA(4, kernel="rbf(gamma=0.5)").fit(X)
    >>> mercer.plot(kpca, X, labels=y)
    <mercer.Plot of kind 'scores'>
    >>> mercer.plot(kpca, X, "kernel", labels=y, center=True)
    <mercer.Plot of kind 'kernel'>
    """
    if kind not in _KINDS:
        near = difflib.get_close_matches(str(kind), _KINDS, n=1)
        hint = f"did you mean {near[0]!r}? Kinds" if near else "kinds"
        raise ValueError(f"there is no plot of kind {kind!r}; {hint}: {', '.join(_KINDS)}")
    given = {
        "labels": labels,
        "components": components,
        "ellipses": ellipses or None,
        "ids": ids,
        "level": level,
        "reference": reference,
        "center": center or None,
        "levels": levels,
        "image_width": image_width,
        "height": height if kind in _NO_HEIGHT else None,
    }
    draws_rows, options = _KINDS[kind]
    for name, value in given.items():
        if value is not None and name not in options:
            having = [k for k, (_, its) in _KINDS.items() if name in its]
            if name == "height":
                having = [k for k in _KINDS if k not in _NO_HEIGHT]
            raise ValueError(
                f"plots of kind {kind!r} have no option {name}; kinds that have it: "
                f"{', '.join(having)}"
            )
    words = {}
    if title is not None:
        words["title"] = str(title)
    if width is not None:
        words["width"] = _whole("width", width, 240, 4000)
    if height is not None:
        words["height"] = _whole("height", height, 200, 4000)
    if kind in _OF_RUNS:
        return Plot(_run(_trace_of(model, kind), kind, words), kind)
    model = opened(model)
    if draws_rows and X is None:
        raise ValueError(f"kind={kind!r} draws rows: give X")
    fitted = model_of(model)
    if kind != "kernel":
        require_variances(fitted)
    if components is not None:
        words["components"] = _components(components, fitted.outputs, kind)
    if ellipses:
        words["ellipses"] = True
    threads = threads_of(n_jobs)
    if kind == "contour":
        size = None
        if width is not None:
            panels = len(words.get("components", ())) or min(8, fitted.outputs)
            size = min(max(words["width"] // min(4, panels) - 24, 80), 2000)
        chosen = words.get("components")
        return Plot(_contour(model, fitted, X, labels, chosen, levels, size, threads), kind)
    if kind == "images":
        pixels = 0
        if image_width is not None:
            pixels = _whole("image_width", image_width, 1, 2**63 - 1)
        return Plot(_mercer.images_svg(fitted, pixels, words), kind)
    if not draws_rows:
        return Plot(getattr(_mercer, f"{kind}_svg")(fitted, words), kind)

    rows = rows_for(model, X)
    n = rows.shape[0]
    if labels is not None:
        words["labels"] = _texts("labels", labels, n)
    if ids is not None:
        words["ids"] = _texts("ids", ids, n)
    if kind in ("scores", "biplot"):
        draw = getattr(_mercer, f"{kind}_svg")
        return Plot(draw(fitted, inputs_of(model, rows), threads, words), kind)
    if kind == "t2spe":
        level = _level(0.99 if level is None else level)
        good = None if reference is None else inputs_of(model, rows_for(model, reference))
        svg, missing = _mercer.t2spe_svg(
            fitted, inputs_of(model, rows), level, good, threads, words
        )
        if missing:
            warnings.warn(f"the plot has {_mercer.in_parameters(missing)}", stacklevel=2)
        return Plot(svg, kind)
    if kind == "kernel":
        return Plot(_mercer.kernel_svg(fitted, rows_of(rows), bool(center), words), kind)
    return Plot(getattr(_mercer, f"{kind}_svg")(fitted, rows_of(rows), words), kind)


def contour(model, X=None, *, labels=None, components=None, levels=None, size=None, n_jobs=None):
    """Contour lines of the components of a model of two columns.

    The SVG text is that of `mercer contour` for the same model and rows.

    Parameters
    ----------
    model : estimator, str or path-like
        Fitted, or a model file.
    X : array-like of shape (n_samples, 2), default=None
        Rows to draw as dots, which also set the range. None: the rows that a kernel model stores;
        for linear PCA three standard deviations around the mean.
    labels : array-like of shape (n_samples,), default=None
        Shown by colour.
    components : list of int, default=None
        Panels, from 0; None: the first eight.
    levels : int, default=None
        Lines per panel; None: 9.
    size : int, default=None
        Width of a panel in pixels; None: 220.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    plot : Plot

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.data("rings")
    >>> kpca = mercer.KernelPCA(4, kernel="rbf(gamma=0.5)").fit(X)
    >>> mercer.contour(kpca, X, labels=y)
    <mercer.Plot of kind 'contour'>
    """
    model = opened(model)
    fitted = model_of(model)
    require_variances(fitted)
    chosen = None if components is None else _components(components, fitted.outputs, "contour")
    if size is not None:
        size = _whole("size", size, 80, 2000)
    threads = threads_of(n_jobs)
    return Plot(_contour(model, fitted, X, labels, chosen, levels, size, threads), "contour")


def _contour(model, fitted, X, labels, chosen, levels, size, threads):
    if fitted.inputs != 2 or fitted.space == "precomputed":
        raise ValueError(
            "contour lines need a model of two columns; this one "
            + ("takes kernel values" if fitted.space == "precomputed" else f"has {fitted.inputs}")
        )
    words = {"threads": threads}
    if chosen is not None:
        words["components"] = chosen
    if levels is not None:
        words["levels"] = _whole("levels", levels, 1, 100)
    if size is not None:
        words["size"] = size
    rows = None if X is None else rows_for(model, X)
    if labels is not None:
        if rows is None:
            raise ValueError("labels are those of rows: give X")
        words["labels"] = _texts("labels", labels, rows.shape[0])
    elif rows is None and fitted.space == "features":
        raise ValueError("the model stores no rows: set the plotted range with X")
    return _mercer.contour_svg(fitted, None if rows is None else rows_of(rows), words)


def _run(trace, kind, words):
    if kind == "trace":
        size = min(max(words["width"] // 2 - 90, 120), 2000) if "width" in words else 420
        return _mercer.run_svg(trace, words.get("title", ""), size)
    return getattr(_mercer, f"{kind}_svg")(trace, words)


def _trace_of(model, kind):
    """Columns of a trace by their names."""
    trace = getattr(model, "trace_", model)
    if not isinstance(trace, Mapping) and not hasattr(trace, "columns"):  # a data frame has them
        raise ValueError(
            f"kind={kind!r} draws a learning run: give a HebbianPCA after fit, or its trace_"
        )
    columns = {str(name): np.asarray(trace[name], dtype=np.float64) for name in trace}
    if kind != "trace" and not any(name.startswith("theta_") for name in columns):
        raise ValueError(f"kind={kind!r} needs a run with theory=True")
    return columns


def _whole(name, value, least, most):
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{name}={value!r} is not a whole number between {least} and {most}")
    return int(value)


def _level(level):
    if not isinstance(level, Real) or isinstance(level, bool) or not 0 < level < 1:
        raise ValueError(f"level={level!r} is not between 0 and 1, such as 0.99")
    return float(level)


def _components(components, outputs, kind):
    chosen = list(np.atleast_1d(components))
    for c in chosen:
        if not isinstance(c, Integral) or isinstance(c, (bool, np.bool_)) or not 0 <= c < outputs:
            have = "component 0 only" if outputs == 1 else f"components 0 to {outputs - 1}"
            raise ValueError(f"components={components!r}: the model has {have}")
    if not chosen or (kind in _TWO_AXES and (len(chosen) != 2 or chosen[0] == chosen[1])):
        wanted = "two axes of" if kind in _TWO_AXES else "panels of"
        raise ValueError(
            f"components={components!r} are not {wanted} kind={kind!r}, such as (0, 2)"
        )
    return [int(c) for c in chosen]


def _texts(name, values, n):
    texts = [str(value) for value in np.asarray(values).ravel()]
    if len(texts) != n:
        raise ValueError(f"{name} has {len(texts)} entries for {n} rows")
    return texts
