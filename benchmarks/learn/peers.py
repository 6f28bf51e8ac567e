"""peers.py rows loop|vectorised FILE ROWS K REPS: Sanger's rule row by row in NumPy.
peers.py ipca FILE K BATCH: scikit-learn's IncrementalPCA, one pass.
Each prints one line of JSON."""
import json
import resource
import sys
import time

import numpy as np


def first_weights(k, d):
    return np.linalg.qr(np.random.default_rng(1).standard_normal((d, k)))[0].T.copy()


def loop(x, w, eta):
    for row in x:
        y = w @ row
        r = row.copy()
        for j in range(len(w)):
            r -= y[j] * w[j]
            w[j] += eta * y[j] * r
    return w


def vectorised(x, w, eta):
    for row in x:
        y = w @ row
        w += eta * (np.outer(y, row) - np.tril(np.outer(y, y)) @ w)
    return w


what = sys.argv[1]
if what == "rows":
    how, path, rows, k, reps = sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
    x = np.load(path, mmap_mode="r")[:rows].copy()
    least = float("inf")
    for _ in range(reps):
        w = first_weights(k, x.shape[1])
        start = time.perf_counter()
        w = {"loop": loop, "vectorised": vectorised}[how](x, w, 0.01)
        least = min(least, time.perf_counter() - start)
    print(json.dumps({"seconds": least, "norms": np.linalg.norm(w, axis=1).tolist()}))
else:
    from sklearn.decomposition import IncrementalPCA
    path, k, batch = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    x = np.load(path)
    model = IncrementalPCA(k, batch_size=batch)
    start = time.perf_counter()
    model.fit(x)
    seconds = time.perf_counter() - start
    kept = total = 0
    for i in range(0, len(x), 1000):
        part = x[i:i + 1000] - model.mean_
        kept += np.sum((part @ model.components_.T)**2)
        total += np.sum(part**2)
    share = kept / total
    print(json.dumps({"seconds": seconds, "explained": share,
                      "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
