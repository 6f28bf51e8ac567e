"""Fits by the processes of MPI jobs, through mpi4py. Each job fits everything: it takes a second to start."""
import os
import pickle
import re
import subprocess
import sys

import pytest

import mercer.mpi
from conftest import ROOT
from team_cases import CASES, WRONG, refused, same

MPI = pytest.importorskip("mpi4py")
TESTS = ROOT / "tests" / "python"


def mpirun(processes, *arguments, cwd=None):
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--quiet", "-n", processes]
    return subprocess.run(
        [str(word) for word in (*command, sys.executable, *arguments)],
        capture_output=True, text=True, timeout=300, cwd=cwd,
    )


@pytest.fixture(scope="module", params=[2, 3])
def job(request, tmp_path_factory):
    """(processes on this machine, what was found, what was raised) of each process."""
    folder = tmp_path_factory.mktemp("job")
    done = mpirun(request.param, TESTS / "mpi_job.py", folder)
    assert done.returncode == 0, done.stderr
    found = [pickle.loads((folder / f"{rank}.pickle").read_bytes()) for rank in range(request.param)]
    assert [size for size, *_ in found] == [request.param] * request.param
    return [rest for _, *rest in found]


@pytest.mark.parametrize("name", CASES)
def test_M_G2_processes_find_what_one_finds(job, name):
    same(name, [results[name] for _, results, _, _ in job])


def test_M_G6_errors_of_one_process_are_those_of_all(job):
    for name in WRONG:
        refused(name, [errors[name] for _, _, errors, _ in job])
    same("scaled", [again for _, _, _, again in job])


def test_M_G2_memory_is_divided_by_the_processes_of_the_machine(job):
    assert [here for here, _, _, _ in job] == [len(job)] * len(job)


def test_M_G6_a_process_that_fails_by_itself_ends_the_job(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text(
        "import mercer, mercer.mpi, numpy as np\n"
        "team = mercer.mpi.team()\n"
        "rows = np.load('absent.npy') if team.rank == 1 else np.eye(5)\n"
        "mercer.PCA(2).fit(rows, team=team)\n"
        "open('fitted', 'w')\n"
    )
    done = mpirun(2, "-m", "mpi4py", script, cwd=tmp_path)
    assert done.returncode != 0
    assert "No such file or directory: 'absent.npy'" in done.stderr
    assert not (tmp_path / "fitted").exists()


def test_the_example_of_the_documentation_runs(tmp_path):
    page = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page[page.index("\n## MPI") :], re.S)
    (tmp_path / "fit.py").write_text(code)
    done = mpirun(2, "-m", "mpi4py", "fit.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert re.fullmatch(r"\[[0-9. ]+\]", line)
    model = mercer.load(tmp_path / "model.st")
    assert model.n_components_ == 3


@pytest.mark.parametrize(
    "comm, error, text",
    [
        ("1", TypeError, "comm is int, not a communicator of mpi4py such as MPI.COMM_WORLD"),
        ("MPI", TypeError, "comm is module, not a communicator"),
        ("MPI.COMM_NULL", ValueError, "comm is MPI.COMM_NULL: this process is not in the communicator"),
    ],
)
def test_M_P8_what_is_not_a_communicator(comm, error, text):
    from mpi4py import MPI  # noqa: F401

    with pytest.raises(error, match=text):
        mercer.mpi.team(eval(comm))


def test_M_P8_without_mpi4py_the_remedy_is_named(tmp_path):
    (tmp_path / "mpi4py.py").write_text("raise ImportError('libmpi.so.40 is absent')")
    code = "import mercer, mercer.mpi; mercer.mpi.team()"
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == (
        "ImportError: mercer.mpi needs mpi4py (libmpi.so.40 is absent); install it with 'apt install "
        "python3-mpi4py' or 'pip install mpi4py'"
    )


def test_import_mercer_does_not_start_mpi():
    code = "import sys, mercer, mercer.mpi; sys.exit('mpi4py' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_of_a_process_follow_its_cores():
    code = "import mercer; print(mercer._mercer.thread_limit())"
    core = min(os.sched_getaffinity(0))
    done = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        capture_output=True, text=True, check=True,
    )
    assert done.stdout == "1\n"
