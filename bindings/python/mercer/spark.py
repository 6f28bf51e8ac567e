"""PCA of rows on Spark, Ray and other engines that apply a function to partitions.

    from mercer.spark import SCHEMA, merge_moments, partial_moments
    parts = frame.mapInPandas(partial_moments(["height", "width"]), SCHEMA)
    pca = merge_moments(parts.collect(), frame.rdd.getNumPartitions()).model(n_components=2)

`partial_moments` has the contract of `mapInPandas`: an iterator of pandas data frames in, one out. Nothing
here imports pyspark or Ray, except that the number of a partition is asked of Spark where none is given.
"""
from ._moments import Moments

__all__ = ["SCHEMA", "merge_moments", "partial_moments"]

#: Of the frames that `partial_moments` yields, as Spark writes it.
SCHEMA = "partition long, rows long, state binary"


def partial_moments(columns, *, partition=None, center=True, scale=False, ddof=1, map=None):
    """A function that sums the rows of one partition.

    Parameters
    ----------
    columns : list of str
        The columns of numbers to sum.
    partition : int or callable, default=None
        The number of the partition, or a function without arguments that returns it where the rows are;
        None: that of Spark's TaskContext.
    center, scale, ddof, map
        As in :class:`mercer.Moments`.

    Returns
    -------
    function : callable
        Of an iterator of pandas data frames, of any sizes. It yields one data frame of one row: `partition`,
        `rows` and `state`, the bytes of :class:`mercer.Moments`; also for no rows. A cell that is null or
        not finite is a ValueError with its row number in the partition.

    Examples
    --------
    >>> import pandas
    >>> from mercer.spark import partial_moments
    >>> batches = [pandas.DataFrame({'a': [1.0, 2.0], 'b': [0.5, 0.0]}), pandas.DataFrame({'a': [], 'b': []})]
    >>> (part,) = partial_moments(['a', 'b'], partition=3)(iter(batches))
    >>> int(part['partition'][0]), int(part['rows'][0])
    (3, 2)
    """
    columns = [str(name) for name in columns]
    if not columns:
        raise ValueError("columns is empty; name the columns to sum")
    options = {"center": center, "scale": scale, "ddof": ddof, "map": map}
    Moments(len(columns), feature_names=columns, **options)  # refuses wrong options before the job starts

    def sum_partition(batches):
        import pandas

        number = _number(partition)
        moments = Moments(len(columns), feature_names=columns, n_jobs=1, **options)
        for batch in batches:
            if len(batch):
                moments.update(_rows(batch, columns, number, moments.n_samples))
        yield pandas.DataFrame(
            {"partition": [number], "rows": [moments.n_samples], "state": [moments.to_bytes()]}
        )

    return sum_partition


def _number(partition):
    if callable(partition):
        return int(partition())
    if partition is not None:
        return int(partition)
    try:
        from pyspark import TaskContext
    except ImportError:
        context = None
    else:
        context = TaskContext.get()
    if context is None:
        raise ValueError("this is not a task of Spark; give partition= to partial_moments")
    return int(context.partitionId())


def _rows(batch, columns, number, before):
    import numpy as np

    missing = [name for name in columns if name not in batch]
    if missing:
        raise ValueError(f"partition {number} has no column '{missing[0]}'")
    chosen = batch[columns]
    try:
        rows = chosen.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"partition {number}: {error}; select columns of numbers") from None
    wrong = np.flatnonzero(~np.isfinite(rows))
    if wrong.size:
        row, column = divmod(int(wrong[0]), len(columns))
        value = rows[row, column]
        what = "null or nan" if np.isnan(value) else str(value)
        raise ValueError(
            f"partition {number}, row {before + row + 1}: column '{columns[column]}' is {what}; drop such "
            "rows or fill in a number"
        )
    return rows


def merge_moments(rows, n_partitions=None):
    """The moments of all partitions.

    Parameters
    ----------
    rows : pandas.DataFrame, or iterable of mappings or Spark rows
        What `partial_moments` yielded, in any order. A partition that was run again appears twice; it is
        counted once. They are merged by number, so the order of `rows` changes no bit.
    n_partitions : int, default=None
        How many partitions there are; given, a missing one is an error.

    Returns
    -------
    moments : Moments
        `model(n_components=…)` makes a :class:`mercer.PCA` of them.

    Examples
    --------
    >>> import numpy as np, pandas
    >>> from mercer.spark import merge_moments, partial_moments
    >>> frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=['a', 'b'])
    >>> parts = [next(partial_moments(['a', 'b'], partition=i)([frame[i::3]])) for i in range(3)]
    >>> merge_moments(pandas.concat(parts + parts[:1]), 3).n_samples
    60
    """
    if hasattr(rows, "to_dict"):
        rows = rows.to_dict("records")
    states = {}
    for row in rows:
        number, state = int(row["partition"]), bytes(row["state"])
        known = states.setdefault(number, state)
        if known != state:
            raise ValueError(
                f"partition {number} appears twice with different sums: its rows are not the same when it "
                "is run again, or two partitions have one number; store the rows first, or number the "
                "partitions"
            )
    if not states:
        raise ValueError("there are no rows of partial_moments to merge")
    if n_partitions is not None:
        missing = [i for i in range(n_partitions) if i not in states]
        if missing:
            raise ValueError(f"partition {missing[0]} of {n_partitions} is missing")
        if len(states) > n_partitions:
            raise ValueError(f"there are {len(states)} partitions, not {n_partitions}")
    parts = [Moments.from_bytes(states[number]) for number in sorted(states)]
    while len(parts) > 1:  # the tree of mercer.dask
        parts = [
            parts[i].merge(parts[i + 1]) if i + 1 < len(parts) else parts[i]
            for i in range(0, len(parts), 2)
        ]
    return parts[0]
