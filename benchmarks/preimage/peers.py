"""peers.py SOLVER FILE NEW K REPS: scikit-learn's KernelPCA with fit_inverse_transform, rbf, gamma = 1/d: fit and
inverse_transform of the rows' scores, and the mean squared error of these and of the rows of NEW. One line of JSON."""
import json
import resource
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA

solver, k, reps = sys.argv[1], int(sys.argv[4]), int(sys.argv[5])
x, fresh = np.load(sys.argv[2]), np.load(sys.argv[3])
seconds = float("inf")
for _ in range(reps):
    start = time.perf_counter()
    model = KernelPCA(k, kernel="rbf", gamma=1 / x.shape[1], eigen_solver=solver, random_state=0,
                      tol=1e-8 if solver == "arpack" else 0, fit_inverse_transform=True).fit(x)
    again = model.inverse_transform(model.eigenvectors_ * np.sqrt(model.eigenvalues_))
    seconds = min(seconds, time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
                  "error": float(((again - x)**2).mean()),
                  "fresh_error": float(((model.inverse_transform(model.transform(fresh)) - fresh)**2).mean()),
                  "variance": float(x.var(axis=0).mean())}))
