"""pip install, without network, into a fresh virtual environment with system site packages."""
import os
import pathlib
import subprocess
import sys

from conftest import ROOT

TRY = """
import sys
import numpy as np, mercer
assert mercer.__file__.startswith(sys.prefix), mercer.__file__
X = np.random.default_rng(0).normal(size=(50, 4))
assert mercer.PCA(2).fit_transform(X).shape == (50, 2)
import importlib.resources as r
assert (r.files("mercer") / "py.typed").is_file()
assert (r.files("mercer") / "__init__.pyi").is_file()
from importlib.metadata import version
assert version("mercer") == mercer.__version__
"""


def test_a_wheel_works_in_a_fresh_environment(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["MERCER_BUILD"] = os.environ["MERCER_BUILD"]  # the extension is built already
    environment["PIP_CONFIG_FILE"] = os.devnull

    def run(*command):
        done = subprocess.run(
            [str(word) for word in command],
            env=environment, cwd=tmp_path, capture_output=True, text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    # setuptools writes beside the sources: a copy of what the package is made of.
    source = tmp_path / "source"
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        source.mkdir(exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    package = source / "bindings" / "python" / "mercer"
    package.mkdir(parents=True)
    for path in (ROOT / "bindings" / "python" / "mercer").glob("*.py*"):
        if path.is_file():
            (package / path.name).write_bytes(path.read_bytes())
    (package / "py.typed").touch()

    run(sys.executable, "-m", "pip", "wheel", source, "--no-build-isolation", "--no-deps",
        "--no-index", "-w", tmp_path)
    (wheel,) = tmp_path.glob("mercer-*.whl")
    assert "cp3" in wheel.name and "linux" in wheel.name
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--system-site-packages", venv)
    python = pathlib.Path(venv) / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    run(python, "-c", TRY)
