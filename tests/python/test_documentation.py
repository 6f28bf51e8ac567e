"""Examples in docstrings run; every public thing has one."""
import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import mercer

# What functions return, which has no calls to show.
RESULTS = (
    "Progress", "KernelCheck", "Eigs", "RuleComparison", "Loadings", "RowScores", "Probe",
    "RateCondition",
)

MODULES = ["mercer"] + [
    f"mercer.{m.name}" for m in pkgutil.iter_modules(mercer.__path__) if m.name != "_mercer"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_the_tour_runs_and_draws(tmp_path):
    from conftest import ROOT

    tour = ROOT / "examples" / "python" / "tour.py"
    done = subprocess.run([sys.executable, tour, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "the same variances as all at once: True" in done.stdout
    assert (tmp_path / "tour.png").read_bytes().startswith(b"\x89PNG")


def test_everything_public_is_documented():
    for name in mercer.__all__:
        thing = getattr(mercer, name)
        assert thing.__doc__, name
        if name not in RESULTS:
            assert ">>>" in thing.__doc__, name
        methods = [] if not isinstance(thing, type) else vars(thing).items()
        for method, function in methods:
            if callable(function) and not method.startswith("_"):
                assert function.__doc__, f"{name}.{method}"


def test_every_parameter_is_documented():
    for name in ("PCA", "KernelPCA", "IncrementalPCA", "HebbianPCA", "Nystroem"):
        estimator = getattr(mercer, name)
        for parameter in estimator._get_param_names():
            assert parameter in estimator.__doc__, f"{name}({parameter}=…)"


@pytest.mark.parametrize("module", ["mercer", "mercer.dask", "mercer.mpi", "mercer.spark"])
def test_the_stubs_have_the_signatures_of_the_code(module):
    import ast
    import inspect
    import pathlib

    module = importlib.import_module(module)
    tree = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    others = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}

    def names(node):
        return [a.arg for a in node.args.args + node.args.kwonlyargs]

    for name in module.__all__:
        thing = getattr(module, name)
        if not callable(thing):
            assert name in others, name
            continue
        if not isinstance(thing, type):
            assert names(functions[name]) == list(inspect.signature(thing).parameters), name
            continue
        stubs = [classes[name]]
        for stub in stubs:  # and their bases here
            stubs.extend(classes[base.id] for base in stub.bases if getattr(base, "id", None) in classes)
        known = {getattr(part, "name", None) for stub in stubs for part in stub.body}
        public = {part for part in vars(thing) if callable(vars(thing)[part]) and not part.startswith("_")}
        assert public <= known, (name, public - known)
        for method in (part for stub in stubs for part in stub.body):
            if isinstance(method, ast.FunctionDef) and not method.decorator_list:
                code = inspect.signature(getattr(thing, method.name)).parameters
                ours = [p for p in code if code[p].kind != inspect.Parameter.VAR_KEYWORD]
                assert names(method) == ours, f"{name}.{method.name}"
