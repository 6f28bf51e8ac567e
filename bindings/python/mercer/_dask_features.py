"""Kernel features on partitions: landmarks, random frequencies, and the sums of the features.

Everything that is drawn depends on the seed and the row number only, never on the partitions.
"""
import math
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from . import _mercer
from ._dask_blocks import pick, reduced, stored
from ._moments import Moments
from ._rows import rows_of

_SAMPLE = 1000  # rows by which a kernel's width is estimated and its validity checked
_PAIRS = 512  # rows whose pairs show the error of random features
_FIRST, _LARGEST = 64, 8192  # candidates of a round
_EPS = np.finfo(np.float64).eps


class Features(NamedTuple):
    """How rows become features, the same in all tasks."""

    model: Any  # of the library; its components are L^-1 for landmarks
    landmarks: bool
    size: int


def noise(size):
    """The share of k(x, x) that is rounding with so many features."""
    return 8 * _EPS * math.sqrt(max(1, size))


def drawn(seed, rows, wanted):
    """Numbers of different rows, in the order in which they are drawn."""
    return np.random.default_rng(seed).choice(rows, size=min(wanted, rows), replace=False)


def picked(blocks, numbers):
    """The rows of these numbers, in any order."""
    order = np.argsort(numbers)
    found = pick(blocks, numbers[order])
    rows = np.empty_like(found)
    rows[order] = found
    return rows


def complete_kernel(kernel, blocks, seed):
    """The expression without open parameters, and refuses what is not positive semi-definite."""
    open_ = any(value is None for value in _mercer.kernel_parameters(kernel).values())
    valid = _mercer.kernel_is_valid(kernel)
    if valid and not open_:
        return kernel
    sample = picked(blocks, drawn(seed, blocks.rows, _SAMPLE))
    kernel = _mercer.kernel_text(kernel, sample)
    if not valid:
        check = _mercer.check_kernel(kernel, sample, _SAMPLE, 1)
        if not check["valid"]:
            raise ValueError(
                f"{kernel} is not positive semi-definite: its matrix of {len(sample)} rows has the "
                f"eigenvalue {check['smallest']:.4g}; use another kernel or other parameters"
            )
    return kernel


def landmark_features(kernel, rows):
    """Features k(x, landmarks) L^-T; of rows that repeat others, one is kept.

    LL' = k(landmarks, landmarks), in the order of the largest remainder.
    """
    own = _mercer.kernel_diagonal(kernel, rows)
    some = own > 0
    rows, lengths = rows[some], np.sqrt(own[some])
    if not len(rows):
        raise ValueError("all kernel values between the landmarks are 0")
    matrix = _mercer.kernel_matrix(kernel, rows, None, 1) / lengths / lengths[:, np.newaxis]
    np.fill_diagonal(matrix, 1)
    factor, order, rank, _ = linalg.lapack.dpstrf(matrix, tol=noise(len(rows)), lower=1)
    order = order[:rank] - 1
    factor = np.tril(factor[:rank, :rank]) * lengths[order][:, np.newaxis]
    inverse, _ = linalg.lapack.dtrtri(factor, lower=1)
    return _of_landmarks(kernel, np.ascontiguousarray(rows[order]), np.tril(inverse))


def _of_landmarks(kernel, rows, inverse):
    model = _mercer.landmark_model(kernel, rows, np.ascontiguousarray(inverse), len(rows))
    return Features(model, True, len(rows))


def first_landmarks(features, m):
    """Those of the first m landmarks, which do not depend on the others."""
    model = features.model
    return _of_landmarks(model.kernel, np.array(model.anchors[:m]), model.components[:m, :m])


def features_of(features, rows):
    if features.landmarks:
        return features.model.transform(rows_of(rows), 1)
    return _mercer.features_of(features.model, rows_of(rows), 1)


# Sums of all rows.


def _sum(rows, model, landmarks, size, kernel, first):
    phi = features_of(Features(model, landmarks, size), rows)
    trace, left, _ = _unexplained(rows, phi, kernel, first) if landmarks else (0.0, 0.0, None)
    columns = np.asarray(rows.sum(axis=0)).ravel()
    return Moments(size, n_jobs=1).update(phi).to_bytes(), trace, left, columns


def _merge_sums(a, b):
    both = Moments.from_bytes(a[0]).merge(Moments.from_bytes(b[0])).to_bytes()
    return (both, *(x + y for x, y in zip(a[1:], b[1:])))


def feature_sums(blocks, features, kernel):
    """(moments of the features, trace, what landmarks leave of it, mean of the columns)."""
    each = [(int(first),) for first in np.cumsum([0, *blocks.counts[:-1]])]
    n, (state, trace, left, columns) = reduced(
        blocks, _sum, _merge_sums, stored(features.model), features.landmarks, features.size, kernel,
        each=each,
    )
    return Moments.from_bytes(state), trace, left, columns / n


def _unexplained(rows, phi, kernel, first):
    """(sum of k(x, x), sum of what the features leave of it, the latter of each row)."""
    whole = _mercer.kernel_diagonal(kernel, rows_of(rows))
    left = whole - np.einsum("ij,ij->i", phi, phi)
    share = noise(phi.shape[1])
    wrong = np.flatnonzero(left < -1e4 * share * whole)
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"row {first + i + 1}: {kernel} is not positive semi-definite: k(x, x) = {whole[i]:.6g}, "
            f"and the landmarks explain {whole[i] - left[i]:.6g} of it"
        )
    left[left <= share * whole] = 0
    return float(whole.sum()), float(left.sum()), left


# Randomly pivoted Cholesky (Chen, Epperly, Tropp & Webber 2022), in blocks with rejection.


def _uniform(seed, stream, first, count):
    """Numbers in (0, 1) of the rows from `first` on, which depend on nothing but the row number."""
    bits = np.random.Philox(key=[seed % 2**64, stream])
    bits.advance(first // 4)  # four numbers per step
    found = np.random.Generator(bits).random(first % 4 + count)[first % 4 :]
    return np.maximum(found, 2.0**-54)


def _candidates(rows, model, size, kernel, seed, stream, wanted, first):
    n = rows.shape[0]
    if model is None:
        phi = np.empty((n, 0))
    else:
        phi = features_of(Features(model, True, size), rows)
    trace, rest, left = _unexplained(rows, phi, kernel, first)
    some = np.flatnonzero(left > 0)
    keys = np.log(_uniform(seed, stream, first, n)[some]) / left[some]
    best = np.argsort(-keys, kind="stable")[:wanted]
    chosen = rows[some[best]]
    chosen = chosen.toarray() if hasattr(chosen, "toarray") else chosen
    explained = np.einsum("ij,ij->j", phi, phi)
    return trace, rest, explained, keys[best], left[some[best]], chosen, wanted


def _merge_candidates(a, b):
    keys = np.concatenate([a[3], b[3]])
    best = np.argsort(-keys, kind="stable")[: a[6]]
    left = np.concatenate([a[4], b[4]])[best]
    rows = np.concatenate([a[5], b[5]])[best]
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], keys[best], left, rows, a[6]


def pivoted_landmarks(blocks, kernel, seed, rank, goal, most):
    """Features of landmarks that are drawn in proportion to what the others leave unexplained.

    `rank` of them, or with rank 0 as many as leave the share `goal` of the trace.
    """
    starts = [(int(first),) for first in np.cumsum([0, *blocks.counts[:-1]])]
    features, stream = None, 0
    while True:
        m = features.size if features else 0
        room = (rank or most) - m
        # Growing blocks: all passes before the last one together cost a third of it.
        wanted = min(max(_FIRST, m + m // 4), _LARGEST, max(16, 2 * room))
        model = stored(features.model) if features else None
        _, (trace, rest, explained, _, left, rows, _) = reduced(
            blocks, _candidates, _merge_candidates, model, m, kernel, seed, stream, wanted, each=starts
        )
        if not trace > 0:
            raise ValueError("the kernel is 0 on all rows")
        if rest <= goal * trace:
            return _fewest(features, explained, rest, goal * trace)
        if m == rank > 0 or not len(rows):
            return features  # what is left of the latter is rounding
        if room <= 0:
            raise ValueError(
                f"approximation='cholesky(tolerance={goal:g})' needs more than {most} landmarks, which "
                f"leave {rest / trace:.2g} of the trace; use a larger tolerance or rank="
            )
        accepted = _accepted(features, kernel, rows, left, seed, stream, room)
        before = np.array(features.model.anchors) if features else rows[:0]
        larger = landmark_features(kernel, np.concatenate([before, rows[accepted]]))
        if larger.size <= m:
            return features
        features, stream = larger, stream + 1


def _accepted(features, kernel, rows, left, seed, stream, room):
    """Candidates, each with the probability of what is left of it now over what was left before."""
    rest = _mercer.kernel_matrix(kernel, rows, None, 1)
    if features:
        phi = features_of(features, rows)
        rest = rest - phi @ phi.T
    floors = np.random.default_rng([seed % 2**64, stream]).random(len(rows)) * left
    accepted = []
    columns = np.zeros((len(rows), min(room, len(rows))))
    for i in range(len(rows)):
        k = len(accepted)
        now = rest[i, i] - columns[i, :k] @ columns[i, :k]
        if now <= floors[i] or now <= 0:
            continue
        columns[i:, k] = (rest[i:, i] - columns[i:, :k] @ columns[i, :k]) / math.sqrt(now)
        accepted.append(i)
        if len(accepted) == room:
            break
    return accepted


def _fewest(features, explained, rest, goal):
    """The first landmarks that leave no more than the goal."""
    enough = features.size
    while enough > 1 and rest + explained[enough - 1] <= goal:
        enough -= 1
        rest += explained[enough]
    return first_landmarks(features, enough) if enough < features.size else features


def pair_error(blocks, features, kernel, seed):
    """(error, its standard error, 2-norm bound) of random features, in the Frobenius norm.

    From all pairs of rows that are drawn without replacement, with the jackknife: k(x, x) of the
    kernels that have random frequencies is the same for all rows.
    """
    n = blocks.rows
    rows = picked(blocks, drawn(seed + 1, n, _PAIRS))
    s = len(rows)
    whole = _mercer.kernel_matrix(kernel, rows, None, 1)
    phi = features_of(features, rows)
    missed = (whole - phi @ phi.T) ** 2
    whole = whole**2

    def norms(keep):
        """Of the matrices of all n rows."""
        found = []
        for squares in (missed, whole):
            part = squares[np.ix_(keep, keep)]
            diagonal = np.trace(part)
            among = (part.sum() - diagonal) / max(1, len(keep) * (len(keep) - 1))
            found.append(math.sqrt(among * n * (n - 1) + diagonal / len(keep) * n))
        return found[0], found[0] / found[1]

    everything = np.arange(s)
    norm, error = norms(everything)
    if s == n:
        return error, 0.0, norm
    groups = [norms(np.delete(everything, slice(i, i + 8))) for i in range(0, s, 8)]
    factor = (len(groups) - 1) / len(groups)
    spreads = [math.sqrt(factor * sum((g - np.mean(c)) ** 2 for g in c)) for c in zip(*groups)]
    return error, spreads[1], norm + 3 * spreads[0]
