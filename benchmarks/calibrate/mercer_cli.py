"""The program, on arrays."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("MERCER", str(ROOT / "build" / "bin" / "mercer"))
ENVIRONMENT = dict(os.environ, OPENBLAS_NUM_THREADS="1")


class Refused(Exception):
    pass


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    if done.returncode:
        raise Refused(done.stderr)
    return done.stdout


class Folder:
    """Arrays as files, for one replicate."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="calibrate")
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def path(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def array(self, name, x):
        np.save(self.path(name), np.ascontiguousarray(x))
        return self.path(name)

    def fit(self, data, *words):
        run("fit", data, *words, "-q", "--threads", 1, "-o", self.path("model.st"))
        return self.path("model.st")

    def json(self, *words):
        return json.loads(run(*words, "--json", "--threads", 1))
