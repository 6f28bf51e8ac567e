"""M_G6: examples/slurm/mpi.sbatch, with commands that stand for Slurm's."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "slurm" / "mpi.sbatch"


@pytest.fixture
def cluster(tmp_path):
    """A folder with commands in bin/, which note how they were called, and a function that runs the script."""
    commands = {
        # What runs under srun is the command behind its options.
        "srun": 'while [[ $1 == -* ]]; do shift; done\nexec "$@"\n',
        "scontrol": f'echo "scontrol $*" >> {tmp_path}/calls\n',
        "mercer-mpi": f'echo "mercer-mpi $*" >> {tmp_path}/calls\nexec {tmp_path}/fit "$@"\n',
    }
    (tmp_path / "bin").mkdir()
    for name, text in commands.items():
        file = tmp_path / "bin" / name
        file.write_text("#!/bin/bash\n" + text)
        file.chmod(0o755)
    for i in (2, 1):
        (tmp_path / f"part-{i}.csv").write_text("a,b\n1,2\n")

    def start(fit, pattern="part-*.csv", restarts=0):
        (tmp_path / "fit").write_text("#!/bin/bash\n" + fit)
        (tmp_path / "fit").chmod(0o755)
        return subprocess.Popen(
            ["bash", SCRIPT, f"{tmp_path}/{pattern}", tmp_path / "out", "--scale", "std"],
            env={**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "SLURM_JOB_ID": "17",
                 "SLURM_RESTART_COUNT": str(restarts)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def calls():
        file = tmp_path / "calls"
        return file.read_text().splitlines() if file.exists() else []

    start.calls = calls
    start.folder = tmp_path
    return start


def run(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_the_fit_begins_with_a_checkpoint_and_continues_from_it(cluster):
    folder = cluster.folder
    begins = f'mkdir -p {folder}/out/checkpoint; touch {folder}/out/checkpoint/run; exit 1'
    assert run(cluster(begins))[0] == 1  # a node has failed: Slurm queues the job again
    assert run(cluster(f"touch {folder}/out/model.st"))[0] == 0
    first, second = cluster.calls()
    command = (f"mercer-mpi fit {folder}/part-1.csv {folder}/part-2.csv --scale std --checkpoint {folder}/out/checkpoint")
    assert first == f"{command} -o {folder}/out/model.st"
    assert second == f"{command} --resume -o {folder}/out/model.st"
    code, _, err = run(cluster(""))
    assert code == 2 and "model.st' exists" in err
    assert run(cluster("", restarts=1))[0] == 0  # the fit had ended when the job was queued again
    assert len(cluster.calls()) == 2


def test_out_of_time_the_fit_ends_and_the_job_is_queued_again(cluster):
    folder = cluster.folder
    waits = f'trap "echo ended >> {folder}/calls; exit 130" TERM; touch {folder}/waits\nwhile :; do sleep 0.05; done'
    pass_ends = f"mkdir -p {folder}/out/checkpoint; echo 1 >> {folder}/out/checkpoint/passes\n"

    def out_of_time(fit):
        process = cluster(fit)
        while not (folder / "waits").exists():
            assert process.poll() is None
            time.sleep(0.01)
        (folder / "waits").unlink()
        process.send_signal(signal.SIGUSR1)
        return run(process)

    code, out, err = out_of_time(pass_ends + waits)
    assert code == 0, err
    assert "out of time" in out
    assert cluster.calls()[1:] == ["ended", "scontrol requeue 17"]
    # Without a pass, another start would end alike.
    code, _, err = out_of_time(waits)
    assert code == 1 and "no pass was completed" in err
    assert cluster.calls()[-1] == "ended"


def test_a_pattern_without_files_is_an_error(cluster):
    code, _, err = run(cluster("", pattern="absent-*.csv"))
    assert code == 2 and "matches no files" in err
    assert cluster.calls() == []


