"""peers.py FILE ROWS LANDMARKS K REPS SEED: scikit-learn's Nystroem (rbf, gamma = 1/d), then its PCA, on rows in memory.
Prints one line of JSON; trace_error is the share of the kernel's trace that the features leave out."""
import json
import resource
import sys
import time

import numpy as np
from sklearn.decomposition import PCA
from sklearn.kernel_approximation import Nystroem

path, rows, landmarks, k, reps, seed = sys.argv[1], *map(int, sys.argv[2:7])
x = np.load(path)[:rows].copy()
seconds = float("inf")
for _ in range(reps):
    start = time.perf_counter()
    features = Nystroem(kernel="rbf", gamma=1 / x.shape[1], n_components=landmarks, random_state=seed).fit_transform(x)
    values = PCA(k, random_state=seed).fit(features).explained_variance_ * (len(x) - 1)
    seconds = min(seconds, time.perf_counter() - start)
peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
error = 1 - float(np.einsum("ij,ij->", features, features)) / len(x)
print(json.dumps({"seconds": seconds, "peak_bytes": peak, "error": error, "values": [float(v) for v in values]}))
