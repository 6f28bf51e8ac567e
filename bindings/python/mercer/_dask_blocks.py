"""Dask collections as partitions of rows, and sums over them in a fixed order."""
import hashlib
import sys
from typing import Any, List, NamedTuple, Optional

import dask
import dask.array
import numpy as np
from scipy import sparse

from . import _mercer

_MOST_BYTES = 128 << 20  # of a chunk after its columns were joined


class Blocks(NamedTuple):
    """Partitions of rows, all columns in each."""

    parts: List[Any]  # Delayed
    counts: Optional[List[int]]  # rows of each; None: unknown
    width: int
    names: Optional[List[str]]  # of the columns of a data frame, if all are strings

    @property
    def rows(self):
        return None if self.counts is None else sum(self.counts)


class Part(NamedTuple):
    """What a task found in its rows, and after merging in all rows of some partitions."""

    count: int
    value: Any  # None if there is a bad row
    bad: Any  # None, or a Bad


class Bad(NamedTuple):
    partition: int
    before: int  # rows in the partitions before it
    row: Optional[int]  # of the partition, from 0; None: `text` has it
    text: str

    def message(self):
        if self.row is None:
            return f"partition {self.partition}, which begins with row {self.before + 1}: {self.text}"
        row = self.before + self.row + 1
        return f"row {row} (partition {self.partition}, row {self.row + 1}), {self.text}"


def blocks_of(X):
    """The partitions of a collection. ValueError or TypeError if there are no numbers in it."""
    if isinstance(X, dask.array.Array):
        return _of_array(X)
    if hasattr(X, "to_delayed") and hasattr(X, "dtypes") and hasattr(X, "columns"):
        return _of_frame(X)
    raise TypeError(
        f"X is {type(X).__name__}, not a Dask array or data frame; for rows in memory use the class "
        "of the same name in `mercer`"
    )


def _of_array(X):
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions instead of 2")
    if X.dtype is None or X.dtype.kind not in "biuf":
        raise TypeError(
            f"X is an array of {X.dtype}, not of numbers; convert it with X.astype(float)"
        )
    if not X.shape[1] >= 0:  # NaN: unknown
        raise ValueError("X has an unknown number of columns; call X.compute_chunk_sizes() first")
    if X.numblocks[0] == 0:
        raise ValueError("X has no partitions")
    if X.numblocks[1] != 1:
        known = not np.isnan(X.shape[0])
        large = known and max(X.chunks[0]) * X.shape[1] * X.dtype.itemsize > _MOST_BYTES
        limit = _MOST_BYTES if large else None
        X = X.rechunk({0: "auto", 1: -1} if large else {1: -1}, block_size_limit=limit)
    counts = [int(n) for n in X.chunks[0]] if not np.isnan(X.shape[0]) else None
    return Blocks(list(X.to_delayed().ravel()), counts, int(X.shape[1]), None)


def _of_frame(X):
    wrong = [f"'{name}'" for name, kind in X.dtypes.items() if not _is_number(kind)]
    if wrong:
        few = ", ".join(wrong[:5]) + (", …" if len(wrong) > 5 else "")
        raise TypeError(
            f"the column{'s' if len(wrong) > 1 else ''} {few} of X "
            f"{'are' if len(wrong) > 1 else 'is'} not of numbers; select or convert columns"
        )
    parts = list(X.to_delayed())
    if not parts:
        raise ValueError("X has no partitions")
    names = list(X.columns)
    named = all(isinstance(name, str) for name in names)
    return Blocks(parts, None, len(names), names if named else None)


def _is_number(kind):
    return getattr(kind, "kind", "O") in "biuf"


def rows_of_block(block):
    """A chunk or the partition of a data frame as rows in double."""
    if sparse.issparse(block):
        return block.tocsr().astype(np.float64)
    if hasattr(block, "to_numpy"):
        return np.ascontiguousarray(block.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.ascontiguousarray(block, dtype=np.float64)


def bad_cell(rows, names):
    """(row, what is wrong) of the first cell that is not finite; None if all are."""
    if sparse.issparse(rows):
        wrong = np.flatnonzero(~np.isfinite(rows.data))
        if not wrong.size:
            return None
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        column, value = int(rows.indices[wrong[0]]), rows.data[wrong[0]]
    else:
        if np.isfinite(rows.sum()):  # most often, and half the time
            return None
        wrong = np.flatnonzero(~np.isfinite(rows))
        if not wrong.size:
            return None
        row, column = divmod(int(wrong[0]), rows.shape[1])
        value = rows[row, column]
    named = f" ('{names[column]}')" if names else ""
    return row, f"column {column + 1}{named} is {value}; remove the row or fill in a number"


def _examine(function, block, partition, names, width, arguments):
    rows = rows_of_block(block)
    n = rows.shape[0]
    if rows.ndim != 2 or rows.shape[1] != width:
        text = f"it has the shape {rows.shape} and not {width} columns, as its metadata has it"
        return Part(n, None, Bad(partition, 0, None, text))
    wrong = bad_cell(rows, names)
    if wrong:
        return Part(n, None, Bad(partition, 0, *wrong))
    try:
        return Part(n, function(rows, *arguments), None)
    except ValueError as error:
        return Part(n, None, Bad(partition, 0, None, str(error)))


def _merge(merge, a, b):
    n = a.count + b.count
    if a.bad:
        return Part(n, None, a.bad)
    if b.bad:
        return Part(n, None, b.bad._replace(before=b.bad.before + a.count))
    return Part(n, merge(a.value, b.value), None)


def count(blocks):
    """The blocks with the number of rows of each, which takes a pass if it is unknown."""
    if blocks.counts is not None:
        return blocks
    length = dask.delayed(_length, pure=True)
    return blocks._replace(counts=[int(n) for n in compute([length(p) for p in blocks.parts])])


def _length(block):
    return block.shape[0]


def reduced(blocks, function, merge, *arguments, each=None):
    """(rows, value) of function(rows, *arguments, *each[i]) of all partitions, merged in their order.

    `function` and `merge` are pure and the tree is fixed: a task that runs again changes nothing.
    """
    examine, join = dask.delayed(_examine, pure=True), dask.delayed(_merge, pure=True)
    level = [
        examine(function, part, i, blocks.names, blocks.width, [*arguments, *(each[i] if each else ())])
        for i, part in enumerate(blocks.parts)
    ]
    while len(level) > 1:
        level = [
            join(merge, *level[i : i + 2]) if i + 1 < len(level) else level[i]
            for i in range(0, len(level), 2)
        ]
    (found,) = compute(level)
    if found.bad:
        raise ValueError(found.bad.message())
    return found.count, found.value


def stored(model):
    """A model as an argument that is in the graph once and not in every task."""
    name = f"mercer-model-{hashlib.sha256(model.bytes()).hexdigest()}"
    return dask.delayed(model, name=name, traverse=False)


def pick(blocks, numbers):
    """The rows of these numbers, ascending, as one dense array. `counts` are known."""
    ends = np.cumsum(blocks.counts)
    owners = np.searchsorted(ends, numbers, side="right")
    take = dask.delayed(_take, pure=True)
    wanted = []
    for i in np.unique(owners):
        local = numbers[owners == i] - (ends[i] - blocks.counts[i])
        wanted.append(take(blocks.parts[i], [int(row) for row in local]))
    found = np.concatenate(compute(wanted))
    wrong = bad_cell(found, blocks.names)
    if wrong:
        row = int(numbers[wrong[0]])
        i = int(owners[wrong[0]])
        before = int(ends[i] - blocks.counts[i])
        raise ValueError(Bad(i, before, row - before, wrong[1]).message())
    return found


def _take(block, rows):
    found = rows_of_block(block[rows] if not hasattr(block, "iloc") else block.iloc[rows])
    return found.toarray() if sparse.issparse(found) else found


def mapped(blocks, method, estimator, width):
    """estimator.method of each partition, as a Dask array that is not computed yet."""
    apply = dask.delayed(_apply, pure=True)
    fitted = dask.delayed(estimator, traverse=False)
    counts = blocks.counts or [np.nan] * len(blocks.parts)
    before = 0 if blocks.counts else None
    chunks = []
    for i, (part, n) in enumerate(zip(blocks.parts, counts)):
        rows = apply(method, fitted, part, i, before, blocks.names, width)
        chunks.append(dask.array.from_delayed(rows, shape=(n, width), dtype=np.float64))
        before = None if before is None else before + n
    return dask.array.concatenate(chunks, allow_unknown_chunksizes=True)


def _apply(method, estimator, block, partition, before, names, width):
    if names is None or not hasattr(estimator, "feature_names_in_"):
        block = rows_of_block(block)
    if block.shape[0] == 0:
        return np.empty((0, width))
    try:
        return getattr(estimator, method)(block)
    except ValueError as error:
        wrong = bad_cell(rows_of_block(block), names)
        if wrong is None:
            raise ValueError(f"partition {partition}: {error}") from None
        bad = Bad(partition, before or 0, *wrong)
        if before is None:
            raise ValueError(f"partition {partition}, row {wrong[0] + 1}, {wrong[1]}") from None
        raise ValueError(bad.message()) from None


def compute(tasks):
    """The results of tasks."""
    return dask.compute(*tasks)


# Text, so that a worker needs nothing of Mercer to evaluate it.
_PROBE = (
    "__import__('mercer').__version__ if __import__('importlib.util').util.find_spec('mercer') else None"
)


def require_workers():
    """Refuses workers of the current scheduler that have no Mercer or another version of it."""
    distributed = sys.modules.get("distributed")
    client = getattr(dask.base.get_scheduler(), "__self__", None)
    if distributed is None or not isinstance(client, distributed.Client) or client.asynchronous:
        return
    for worker, found in client.run(eval, _PROBE, on_error="return").items():
        if found is None:
            raise RuntimeError(
                f"the worker {worker} has no package `mercer`; install version "
                f"{_mercer.__version__} where the workers run"
            )
        if isinstance(found, ImportError):
            raise RuntimeError(f"the worker {worker} cannot import `mercer`: {found}")
        # What else goes wrong belongs to a worker that has just died: its tasks go to others.
        if isinstance(found, str) and found != _mercer.__version__:
            raise RuntimeError(
                f"the worker {worker} has version {found} of `mercer`, this process "
                f"{_mercer.__version__}; install the same version everywhere"
            )
