"""jobs.py WHOSE JOB FILE K REPS: one job of Mercer's or scikit-learn's estimators, one line of JSON.
WHOSE is mercer or sklearn; JOB is pca-fit, pca-transform, pca-row, kernel-fit, ipca-fit. Mercer's
calls alternate with the same calls from C++, in this process and on these rows: "cpp" is theirs."""
import ctypes
import json
import os
import sys
import time

import numpy as np

whose, job, path, k, reps = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
x = np.load(path)
if whose == "mercer":
    from mercer import PCA, IncrementalPCA, KernelPCA

    extra = {"tolerance": 1e-8}
    solver = {}
else:
    from sklearn.decomposition import PCA, IncrementalPCA, KernelPCA

    extra = {"tol": 1e-8, "eigen_solver": "arpack", "random_state": 0}
    solver = {"svd_solver": "randomized", "random_state": 0}


cpp_values = np.zeros(k)


def in_cpp(name):
    """The call from C++, which returns its seconds."""
    if whose != "mercer":
        return None
    function = ctypes.CDLL(f"{os.environ['BUILD']}/bin/bench_calls.so")[name]
    function.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    function.restype = ctypes.c_double
    return lambda: function(x.ctypes.data, *x.shape, k, cpp_values.ctypes.data)


def measured(work, cpp=None, inner=1):
    """The quickest, and the median."""
    times, others = [], []
    for _ in range(reps):
        start = time.perf_counter()
        for _ in range(inner):
            result = work()
        times.append((time.perf_counter() - start) / inner)
        if cpp is not None:
            others.append(cpp())
    out = {"seconds": min(times), "median": float(np.median(times))}
    if others:
        out["cpp"] = {"seconds": min(others), "median": float(np.median(others))}
    return out, result


values = []
if job == "pca-fit":
    out, model = measured(lambda: PCA(k, **solver).fit(x), in_cpp("fit_pca"))
    values = model.explained_variance_
elif job == "pca-transform":
    model = PCA(k, **solver).fit(x)
    out, _ = measured(lambda: model.transform(x), in_cpp("transform_pca"))
elif job == "pca-row":
    model, row = PCA(k, **solver).fit(x), x[:1]
    out, _ = measured(lambda: model.transform(row), inner=1000)
elif job == "kernel-fit":
    kernel = {"kernel": "rbf", "gamma": 1 / x.shape[1]}
    out, model = measured(lambda: KernelPCA(k, **kernel, **extra).fit(x), in_cpp("fit_kernel_pca"))
    values = model.eigenvalues_
elif job == "ipca-fit":
    out, _ = measured(lambda: IncrementalPCA(k).fit(x).explained_variance_)
else:
    raise SystemExit(2)
out["values"] = [float(v) for v in values]
if "cpp" in out:
    out["cpp"]["values"] = cpp_values.tolist() if out["values"] else []
print(json.dumps(out))
