"""peers.py PEER FILE K [REPS]: one peer on rows in memory, one line of JSON.
peers.py iris IN OUT: the whole job, CSV to scores CSV."""
import json
import sys
import time


def best(repetitions, job):
    least, result = float("inf"), None
    for _ in range(repetitions):
        start = time.perf_counter()
        result = job()
        least = min(least, time.perf_counter() - start)
    return least, [float(v) for v in result]


def numpy_covariance(x, k):
    import numpy as np
    centred = x - x.mean(axis=0)
    values = np.linalg.eigh(centred.T @ centred / (len(x) - 1))[0]
    return values[::-1][:k]


def scikit_learn(x, k, solver):
    from sklearn.decomposition import PCA
    return PCA(k, svd_solver=solver, random_state=0).fit(x).explained_variance_


def faiss_matrix(x, k):
    import faiss
    matrix = faiss.PCAMatrix(x.shape[1], k)
    matrix.max_points_per_d = len(x)  # all rows, not a sample
    matrix.train(x)
    return faiss.vector_to_array(matrix.eigenvalues)[:k] / (len(x) - 1)


def iris(source, target):
    import pandas
    from sklearn.decomposition import PCA
    table = pandas.read_csv(source)
    label = table.pop("species")
    scores = pandas.DataFrame(PCA(2).fit_transform(table), columns=["pc1", "pc2"])
    scores.insert(0, "species", label)
    scores.to_csv(target, index=False)


if sys.argv[1] == "iris":
    iris(sys.argv[2], sys.argv[3])
else:
    import numpy as np
    peer, path, k = sys.argv[1], sys.argv[2], int(sys.argv[3])
    x = np.load(path)
    jobs = {"numpy": lambda: numpy_covariance(x, k)}
    for solver in ("randomized", "arpack", "full"):
        jobs["sklearn-" + solver] = lambda solver=solver: scikit_learn(x, k, solver)
    if peer == "faiss":
        import faiss  # noqa: F401, not part of the measured time
        x = x.astype("float32")
        jobs["faiss"] = lambda: faiss_matrix(x, k)
    if peer.startswith("sklearn"):
        import sklearn.decomposition  # not part of the measured time
    seconds, values = best(int(sys.argv[4]) if len(sys.argv) > 4 else 1, jobs[peer])
    print(json.dumps({"seconds": seconds, "values": values}))
