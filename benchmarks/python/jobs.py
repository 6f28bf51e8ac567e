"""jobs.py WHOSE JOB FILE K REPS: one job of Mercer's or scikit-learn's estimators, one line of JSON.
WHOSE is mercer or sklearn; JOB is pca-fit, pca-transform, pca-row, kernel-fit, ipca-fit."""
import json
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


def best(work, inner=1):
    least, result = float("inf"), None
    for _ in range(reps):
        start = time.perf_counter()
        for _ in range(inner):
            result = work()
        least = min(least, (time.perf_counter() - start) / inner)
    return least, result


if job == "pca-fit":
    seconds, model = best(lambda: PCA(k, **solver).fit(x))
    values = model.explained_variance_
elif job == "pca-transform":
    model = PCA(k, **solver).fit(x)
    seconds, values = best(lambda: model.transform(x))
    values = []
elif job == "pca-row":
    model, row = PCA(k, **solver).fit(x), x[:1]
    seconds, values = best(lambda: model.transform(row), 1000)
    values = []
elif job == "kernel-fit":
    seconds, model = best(lambda: KernelPCA(k, kernel="rbf", gamma=1 / x.shape[1], **extra).fit(x))
    values = model.eigenvalues_
elif job == "ipca-fit":
    seconds, model = best(lambda: IncrementalPCA(k).fit(x).explained_variance_)
    values = []
else:
    raise SystemExit(2)
print(json.dumps({"seconds": seconds, "values": [float(v) for v in values]}))
