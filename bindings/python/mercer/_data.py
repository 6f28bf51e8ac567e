"""The data sets of the lectures, generated."""
import numbers

import numpy as np

from . import _mercer


def data(name, rows=None, *, noise=None, seed=None):
    """Generate a data set of the lectures.

    The rows are those of ``mercer data NAME`` with the same options.

    Parameters
    ----------
    name : {'clouds', 'circle', 'ellipse', 'parabola', 'rings', 'moons', 'swissroll'}
        - clouds: 800 points randn/9 + 0.5 and 1000 points randn/6 + 1 in the plane
        - circle: x1² + x2² = 1
        - ellipse: x1² − 2 x1 x2 + 2 x2² = 2
        - parabola: x2 = x1²
        - rings: circles of radius 1 and 3
        - moons: two half circles, one inverted
        - swissroll: a rolled-up plane in 3-D, with six labels along the roll
    rows : int, default=None
        None: 1800 for clouds, 1000 for swissroll, 300 for rings and moons, 200 for curves.
    noise : float, default=None
        Standard deviation of the Gaussian noise of every coordinate; for clouds, a factor of
        their standard deviations. None: 0.15 for rings, 0.05 for moons, 1 for clouds, otherwise 0.
    seed : int, default=None
        None: the default seed, as in C++ and on the command line.

    Returns
    -------
    X : ndarray of shape (rows, 2) or (rows, 3)
    y : ndarray of str of shape (rows,), or None
        Labels; None for circle, ellipse and parabola.

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.data("clouds", seed=7)
    >>> X.shape, y[0], y[-1]
    ((1800, 2), 'first', 'second')
    >>> X, _ = mercer.data("circle", rows=5)
    >>> (X**2).sum(axis=1).round(12)
    array([1., 1., 1., 1., 1.])
    """
    rows = _whole("rows", rows, 1) if rows is not None else 0
    seed = _whole("seed", seed, 0) if seed is not None else _mercer.default_seed
    X, labels = _mercer.data(name, rows, None if noise is None else float(noise), seed)
    return X, np.array(labels) if labels else None


def _whole(name, value, least):
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name}={value!r} is not a whole number of at least {least}")
    if value >= 2**63:
        raise ValueError(f"{name}={value!r} is not less than 2**63")
    return int(value)
