"""Moments of partitions with the contract of Spark's `mapInPandas`, each partition in a process."""
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mercer
from conftest import ROOT
from mercer.spark import SCHEMA, merge_moments, partial_moments

pandas = pytest.importorskip("pandas")

COLUMNS = ["a", "b", "c"]
X = np.random.default_rng(6).normal(size=(500, 3)) @ np.diag([3.0, 1, 0.1]) + [100, 0, -5]
FRAME = pandas.DataFrame(X, columns=COLUMNS).assign(name="not summed")

# What an engine does with a partition: batches in, frames out, nothing else shared.
WORKER = """
import pickle, sys
from mercer.spark import partial_moments
number, batches, options = pickle.load(sys.stdin.buffer)
frames = list(partial_moments(["a", "b", "c"], partition=lambda: number, **options)(iter(batches)))
pickle.dump(frames, sys.stdout.buffer)
"""


def in_a_process(number, batches, **options):
    done = subprocess.run(
        [sys.executable, "-c", WORKER], input=pickle.dumps((number, batches, options)), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    (frame,) = pickle.loads(done.stdout)
    assert list(frame.columns) == [part.split()[0] for part in SCHEMA.split(", ")]
    assert len(frame) == 1
    return frame


def cut(frame, sizes):
    """Batches of these sizes, the rest last."""
    ends = np.cumsum(sizes)
    return [frame[a:b] for a, b in zip([0, *ends], [*ends, len(frame)])]


def parts(**options):
    """Four partitions in their own processes: many batches, none, one, and batches without rows."""
    return [
        in_a_process(0, cut(FRAME[:200], [1, 0, 50, 7]), **options),
        in_a_process(1, [], **options),
        in_a_process(2, [FRAME[200:430]], **options),
        in_a_process(3, [FRAME[:0], FRAME[430:], FRAME[:0]], **options),
    ]


@pytest.fixture(scope="module")
def four():
    return parts()


def test_M_G7_partitions_of_any_batches_are_all_rows(four):
    moments = merge_moments(pandas.concat(four), 4)
    assert moments.n_samples == 500 and [int(p["rows"][0]) for p in four] == [200, 0, 230, 70]
    local = mercer.PCA(2).fit(X)
    pca = moments.model(2)
    first = local.explained_variance_[0]
    np.testing.assert_allclose(pca.explained_variance_, local.explained_variance_, atol=1e-12 * first, rtol=0)
    np.testing.assert_allclose(pca.transform(FRAME[COLUMNS]), local.transform(X), atol=1e-12 * np.sqrt(first))
    assert list(pca.feature_names_in_) == COLUMNS


def test_M_G7_dask_and_spark_merge_the_same_tree():
    """Neither the order of the partitions nor the grouping may differ: other trees have other bits."""
    da = pytest.importorskip("dask.array")
    import mercer.dask

    chunks = np.array_split(X * 10.0 ** np.arange(3), 7)
    frames = [pandas.DataFrame(rows, columns=COLUMNS) for rows in chunks]
    parts = [next(partial_moments(COLUMNS, partition=i)([frame])) for i, frame in enumerate(frames)]
    merged = merge_moments(pandas.concat(parts[::-1])).model()
    array = da.concatenate([da.from_array(rows, chunks=rows.shape) for rows in chunks])
    fitted = mercer.dask.PCA().fit(array)
    np.testing.assert_array_equal(fitted.components_, merged.components_)
    np.testing.assert_array_equal(fitted.explained_variance_, merged.explained_variance_)
    # By its definition: pairs of neighbours, level by level.
    m = [mercer.Moments(3, feature_names=COLUMNS, n_jobs=1).update(rows) for rows in chunks]
    whole = m[0].merge(m[1]).merge(m[2].merge(m[3])).merge(m[4].merge(m[5]).merge(m[6]))
    assert whole.to_bytes() == merge_moments(pandas.concat(parts)).to_bytes()


def test_options_are_those_of_moments():
    scaled = merge_moments(pandas.concat(parts(scale=True))).model(1)
    np.testing.assert_allclose(
        scaled.explained_variance_, mercer.PCA(1, scale=True).fit(X).explained_variance_, rtol=1e-12
    )


def test_M_G7_partitions_that_ran_again_count_once_and_order_changes_no_bit(four):
    rows = [frame.to_dict("records")[0] for frame in four]
    wanted = merge_moments(rows).to_bytes()
    again = in_a_process(0, cut(FRAME[:200], [1, 0, 50, 7])).to_dict("records")
    for repeated in (rows + again, [rows[2], rows[0], *again, rows[3], rows[0], rows[1]]):
        assert merge_moments(iter(repeated), 4).to_bytes() == wanted


def test_M_P8_nulls_are_named_by_partition_row_and_column():
    frame = FRAME.copy()
    frame.loc[57, "b"] = None
    objects = frame.astype({"b": object})
    objects.loc[57, "b"] = None  # as Spark has a null of some types
    nullable = frame.astype({"b": "Float64"})
    for batch in (frame, objects, nullable):
        with pytest.raises(ValueError, match="partition 4, row 58: column 'b' is null or nan"):
            list(partial_moments(COLUMNS, partition=4)(iter(cut(batch, [10, 30]))))
    frame.loc[57, "b"] = np.inf
    with pytest.raises(ValueError, match="row 58: column 'b' is inf"):
        list(partial_moments(COLUMNS, partition=4)([frame]))


def test_M_P8_bad_input(four):
    with pytest.raises(ValueError, match="partition 0 has no column 'd'"):
        list(partial_moments(["a", "d"], partition=0)([FRAME]))
    with pytest.raises(ValueError, match="partition 0: .*not summed.*select columns of numbers"):
        list(partial_moments(["a", "name"], partition=0)([FRAME]))
    with pytest.raises(ValueError, match="not a task of Spark"):
        list(partial_moments(COLUMNS)([FRAME]))
    with pytest.raises(ValueError, match="columns is empty"):
        partial_moments([])
    with pytest.raises(ValueError, match="ddof"):
        partial_moments(COLUMNS, ddof=3)
    with pytest.raises(ValueError, match="no rows of partial_moments"):
        merge_moments([])
    with pytest.raises(ValueError, match="partition 1 of 4 is missing"):
        merge_moments(pandas.concat([four[0], *four[2:]]), 4)
    with pytest.raises(ValueError, match="there are 4 partitions, not 3"):
        merge_moments(pandas.concat(four), 3)
    other = four[0].assign(partition=2)
    with pytest.raises(ValueError, match="partition 2 appears twice with different sums"):
        merge_moments(pandas.concat([*four, other]))


def test_the_example_compiles_and_says_that_it_has_not_been_run():
    text = (ROOT / "examples" / "spark_moments.py").read_text()
    compile(text, "spark_moments.py", "exec")
    assert "has not been run on Spark" in text


def test_the_job_array_sums_parts_and_merges_them(tmp_path, program):
    """With commands that stand for Slurm's: `sbatch` runs what it is given at the end."""
    import os
    import pathlib

    folder = tmp_path / "bin"
    folder.mkdir()
    os.symlink(program, folder / "mercer")
    sbatch = folder / "sbatch"
    sbatch.write_text(f'#!/bin/bash\nprintf "%s\\n" "$*" >> {tmp_path}/submitted\n'
                      f'while [[ $1 != --wrap ]]; do shift; done\nprintf "%s" "$2" > {tmp_path}/merge.sh\n')
    sbatch.chmod(0o755)
    for i, part in enumerate(np.array_split(X, 3)):
        pandas.DataFrame(part, columns=COLUMNS).to_csv(tmp_path / f"part-{i}.csv", index=False)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_ARRAY_JOB_ID": "17"}
    script = ROOT / "examples" / "slurm" / "array.sbatch"
    for task in range(4):
        own = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "3"}
        done = subprocess.run(
            ["bash", script, f"{tmp_path}/part-*.csv", tmp_path / "out", "--scale", "std"],
            env={**environment, **own}, capture_output=True, text=True,
        )
        assert (done.returncode == 0) == (task < 3), done.stderr
    assert "task 3, but" in done.stderr and "matches 3 files" in done.stderr
    assert "--dependency=afterok:17" in (tmp_path / "submitted").read_text()
    subprocess.run(["bash", tmp_path / "merge.sh"], env=environment, cwd=tmp_path / "out", check=True, capture_output=True)
    found = mercer.load(pathlib.Path(tmp_path) / "out" / "model.st").explained_variance_
    np.testing.assert_allclose(found, mercer.PCA(scale=True).fit(X).explained_variance_, rtol=1e-10)
