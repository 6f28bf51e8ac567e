"""Progress of a long fit: a callback of the user's, a bar on standard error, or nothing."""
import sys
from typing import NamedTuple


class Progress(NamedTuple):
    """What a long fit tells its callback, a few times a second.

    Attributes
    ----------
    what : str
        What is being done: 'covariance', 'kernel matrix', …
    done, total : float
        How much of it; `total` is 0 when unknown.
    unit : str
        What `done` counts.
    note : str
        More to say, often empty.
    """

    what: str
    done: float
    total: float
    unit: str
    note: str = ""


class _Lines:
    """For want of tqdm: a line that is written over."""

    def __call__(self, p):
        share = f" {100 * p.done / p.total:.0f} %" if p.total else f" {p.done:g} {p.unit}"
        print(f"\r{p.what}{share} {p.note}".ljust(60), end="", file=sys.stderr)

    def close(self):
        print("\r" + " " * 60 + "\r", end="", file=sys.stderr)


class _Bar:
    def __init__(self, tqdm):
        self._tqdm, self._bar, self._what = tqdm, None, None

    def __call__(self, p):
        if p.what != self._what:
            self.close()
            self._what = p.what
            self._bar = self._tqdm(desc=p.what, total=p.total or None, unit=f" {p.unit}")
        self._bar.update(p.done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()


class monitor:
    """with monitor(progress, verbose) as tell: the function that the library calls, or None."""

    __slots__ = ("_listeners", "_bar")

    def __init__(self, progress, verbose):
        self._bar = _bar() if verbose else None
        self._listeners = [x for x in (progress, self._bar) if x is not None]

    def __enter__(self):
        return self._tell if self._listeners else None

    def __exit__(self, *error):
        if self._bar is not None:
            self._bar.close()

    def _tell(self, *words):
        state = Progress(*words)
        return all([listener(state) is not False for listener in self._listeners])


def told(estimator, work, *words, **options):
    """The work, with whoever listens to its progress."""
    if estimator.progress is None and not estimator.verbose:
        return work(*words, monitor=None, **options)
    with monitor(estimator.progress, estimator.verbose) as tell:
        return work(*words, monitor=tell, **options)


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)
