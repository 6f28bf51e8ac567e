"""peers.py fit SOLVER FILE ROWS K REPS [JOBS]: scikit-learn's KernelPCA, rbf, gamma = 1/d, on rows in memory.
peers.py transform FILE ROWS NEW FRESH K REPS: the scores of new rows, in blocks of 2,000.
Each prints one line of JSON."""
import json
import resource
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA


def kernel_pca(solver, d, k, jobs=None):
    # arpack's tolerance is relative to each eigenvalue: as accurate as Mercer's 1e-8 of the first.
    return KernelPCA(k, kernel="rbf", gamma=1 / d, eigen_solver=solver, n_jobs=jobs, random_state=0,
                     tol=1e-8 if solver == "arpack" else 0)


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def best(repetitions, job):
    least, result = float("inf"), None
    for _ in range(repetitions):
        start = time.perf_counter()
        result = job()
        least = min(least, time.perf_counter() - start)
    return least, result


what = sys.argv[1]
if what == "fit":
    solver, path, rows, k = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    reps, jobs = int(sys.argv[6]), int(sys.argv[7]) if len(sys.argv) > 7 else None
    x = np.load(path)[:rows].copy()
    seconds, model = best(reps, lambda: kernel_pca(solver, x.shape[1], k, jobs).fit(x))
    values = model.eigenvalues_
elif what == "transform":
    path, rows, fresh, count, k = sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]), int(sys.argv[6])
    x, new = np.load(path)[:rows].copy(), np.load(fresh)[:count].copy()
    model = kernel_pca("arpack", x.shape[1], k).fit(x)
    seconds, scores = best(int(sys.argv[7]), lambda: np.concatenate(
        [model.transform(new[i:i + 2000]) for i in range(0, len(new), 2000)]))
    values = (scores**2).mean(axis=0)
else:
    raise SystemExit(2)
print(json.dumps({"seconds": seconds, "peak_bytes": peak(), "values": [float(v) for v in values]}))
