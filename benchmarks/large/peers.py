"""peers.py make STEM: a sparse table, as three .npy files.
peers.py PEER FILE K [REPS]: one peer on rows in memory, one line of JSON."""
import json
import sys
import time

import numpy as np

ROWS, COLUMNS, PER_ROW, TOPICS = 200_000, 20_000, 20, 60


def make(stem):
    """Rows like documents: each draws its words from one of 60 topics, or from the common ones."""
    random = np.random.default_rng(1)
    popular = 1 / np.arange(1, COLUMNS + 1) ** 0.7
    topics = [random.permutation(COLUMNS)[:600] for _ in range(TOPICS)]
    common = random.permutation(COLUMNS)
    share = 1 / np.arange(1, TOPICS + 1) ** 0.6
    topic_of = random.choice(TOPICS, ROWS, p=share / share.sum())
    offsets, columns, values = [0], [], []
    own = 1 / np.arange(1, 601) ** 0.8
    own = np.cumsum(own / own.sum())
    everywhere = np.cumsum(popular / popular.sum())
    for row in range(ROWS):
        mine = topics[topic_of[row]][np.searchsorted(own, random.random(12))]
        others = common[np.searchsorted(everywhere, random.random(11))]
        chosen = np.unique(np.concatenate([mine, others]))[:PER_ROW + 3]
        columns.append(chosen)
        values.append(1 + random.exponential(0.5, len(chosen)))
        offsets.append(offsets[-1] + len(chosen))
    np.save(stem + "-offsets.npy", np.array(offsets, float)[:, None])
    np.save(stem + "-columns.npy", np.concatenate(columns).astype(float)[:, None])
    np.save(stem + "-values.npy", np.concatenate(values)[:, None])


def sparse(stem):
    from scipy.sparse import csr_matrix
    offsets, columns, values = (np.load(f"{stem}-{part}.npy").ravel()
                                for part in ("offsets", "columns", "values"))
    return csr_matrix((values, columns.astype(np.int32), offsets.astype(np.int32)),
                      shape=(len(offsets) - 1, COLUMNS))


def numpy_covariance(x, k):
    centred = x - x.mean(axis=0)
    return np.linalg.eigh(centred.T @ centred / (len(x) - 1))[0][::-1][:k]


def randomized(x, k):
    from sklearn.decomposition import PCA
    return PCA(k, svd_solver="randomized", random_state=0).fit(x).explained_variance_


def truncated(x, k, algorithm):
    from sklearn.decomposition import TruncatedSVD
    svd = TruncatedSVD(k, algorithm=algorithm, random_state=0).fit(x)
    return svd.singular_values_ ** 2 / (x.shape[0] - 1)


def incremental(x, k):
    from sklearn.decomposition import IncrementalPCA
    pca = IncrementalPCA(k)
    for i in range(0, len(x), 1000):
        pca.partial_fit(x[i:i + 1000])
    return pca.explained_variance_


JOBS = {
    "numpy": (np.load, numpy_covariance),
    "sklearn-randomized": (np.load, randomized),
    "sklearn-incremental": (np.load, incremental),
    "truncated-arpack": (sparse, lambda x, k: truncated(x, k, "arpack")),
    "truncated-randomized": (sparse, lambda x, k: truncated(x, k, "randomized")),
}

if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    import sklearn.decomposition  # not part of the measured time
    load, job = JOBS[sys.argv[1]]
    x, k = load(sys.argv[2]), int(sys.argv[3])
    least = float("inf")
    for _ in range(int(sys.argv[4]) if len(sys.argv) > 4 else 1):
        start = time.perf_counter()
        values = job(x, k)
        least = min(least, time.perf_counter() - start)
    print(json.dumps({"seconds": least, "values": [float(v) for v in values]}))
