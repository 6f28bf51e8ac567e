"""Learning-rate schedules."""
from typing import NamedTuple

from . import _mercer


class RateCondition(NamedTuple):
    """A condition of convergence theory, and whether a learning rate meets it.

    Attributes
    ----------
    condition : str
        'η → 0', 'Ση = ∞' or 'Ση^p < ∞ for some p > 1'.
    holds : bool
    why : str
    """

    condition: str
    holds: bool
    why: str


def rate_text(rate):
    """A schedule as the library takes it; a number is a constant rate."""
    return rate if isinstance(rate, str) else f"constant({float(rate)!r})"


def rate_conditions(rate):
    """The Robbins-Monro conditions, and whether a learning rate meets them.

    Parameters
    ----------
    rate : str or float
        Schedule, such as '1/n' or 'power(c=1, t0=100, a=0.75)'; a number is a constant rate.

    Returns
    -------
    conditions : list of RateCondition

    Examples
    --------
    >>> from mercer import rate_conditions
    >>> [c.holds for c in rate_conditions('1/n')]
    [True, True, True]
    >>> rate_conditions(0.01)[0]
    RateCondition(condition='η → 0', holds=False, why='it does not decrease')
    """
    return [RateCondition(*one) for one in _mercer.rate_conditions(rate_text(rate))]


def steps_of_rate(rate, time):
    """The smallest n with η₁ + … + η_n ≥ time.

    Parameters
    ----------
    rate : str or float
        Schedule, such as '1/n'; a number is a constant rate.
    time : float

    Returns
    -------
    float
        inf: the sum stays below `time`; nan: it depends on the rows.

    Examples
    --------
    >>> from mercer import steps_of_rate
    >>> steps_of_rate('1/n', 2.0)
    4.0
    """
    return _mercer.steps_of_rate(rate_text(rate), float(time))
