"""Progress of a long fit: a callback of the user's, a bar on standard error, or nothing."""
import sys
from typing import NamedTuple


class Progress(NamedTuple):
    """Progress of a fit, passed to its callback a few times per second.

    Attributes
    ----------
    what : str
        The current step: 'covariance', 'kernel matrix', …
    done, total : float
        Amount done and in total; `total` is 0 if unknown.
    unit : str
        The unit of `done`.
    note : str
        A remark, often empty.
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


def listening(progress):
    """The monitor that calls `progress`, or None."""
    return None if progress is None else lambda *state: progress(Progress(*state)) is not False


def told(estimator, work, *words, **options):
    """The work, with whoever listens to its progress."""
    if estimator.progress is None and not estimator.verbose:
        return work(*words, monitor=None, **options)
    bar = _bar() if estimator.verbose else None
    listeners = [x for x in (estimator.progress, bar) if x is not None]

    def tell(*state):
        return all([listener(Progress(*state)) is not False for listener in listeners])

    try:
        return work(*words, monitor=tell, **options)
    finally:
        if bar is not None:
            bar.close()


def _bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines()
    return _Bar(tqdm)
