# %% [markdown]
# A tour of Mercer from Python. Run it as a script, or cell by cell:
#
#     PYTHONPATH=build/python /usr/bin/python3 examples/python/tour.py [FOLDER]
#
# Pictures go to FOLDER, by default the current one.

# %%
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas

from mercer import PCA, HebbianPCA, IncrementalPCA, KernelPCA

data = pathlib.Path(__file__).resolve().parents[2] / "data"
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")

# %% [markdown]
# Linear PCA of standardised columns: the first two directions tell the cultivars apart.

# %%
wine = pandas.read_csv(data / "wine.csv")
cultivar = wine.pop("cultivar").astype("category")
pca = PCA(2, scale=True).set_output(transform="pandas")
scores = pca.fit_transform(wine)
print("wine:", dict(zip(scores.columns, pca.explained_variance_ratio_.round(3))))

fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
axes[0].scatter(scores["pca0"], scores["pca1"], c=cultivar.cat.codes, s=12)
axes[0].set_title("wine, z-scores")

# %% [markdown]
# Two rings that no line separates. In the space of a Gaussian kernel the first component does.

# %%
rings = pandas.read_csv(data / "rings.csv")
ring = rings.pop(rings.columns[-1]).astype("category").cat.codes
kpca = KernelPCA(2, kernel="rbf", gamma=0.5, fit_inverse_transform=True, alpha=1e-3)
curved = kpca.fit_transform(rings)
axes[1].scatter(curved[:, 0], curved[:, 1], c=ring, s=12)
axes[1].set_title("rings, rbf kernel")
print("rings: mean first scores", [curved[ring == c, 0].mean().round(2) for c in (0, 1)])

# %% [markdown]
# Rows one after the other, five times over: Oja's rule turns towards the first component.

# %%
digits = pandas.read_csv(data / "digits.csv").iloc[:, :64].to_numpy(dtype=float)
exact = PCA(1).fit(digits).components_[0]
neuron, angles = HebbianPCA(1, rule="oja", random_state=0), []
rng = np.random.default_rng(0)
for epoch in range(5):
    order = rng.permutation(len(digits))
    for begin in range(0, len(digits), 40):
        neuron.partial_fit(digits[order[begin : begin + 40]])
        angles.append(np.degrees(np.arccos(min(1.0, abs(neuron.components_[0] @ exact)))))
axes[2].plot(40 * np.arange(1, len(angles) + 1), angles)
axes[2].set_title("digits, Oja: degrees to the exact axis")
axes[2].set_xlabel("rows seen")
print(f"digits: {angles[-1]:.1f} degrees after {neuron.n_samples_seen_} rows")

# %% [markdown]
# Batches that do not fit into memory together; the result is that of all rows.

# %%
batches = IncrementalPCA(10)
for begin in range(0, len(digits), 300):
    batches.partial_fit(digits[begin : begin + 300])
same = np.allclose(batches.explained_variance_, PCA(10).fit(digits).explained_variance_)
print("digits in batches: the same variances as all at once:", same)

# %%
fig.savefig(folder / "tour.png", dpi=100)
print("wrote", folder / "tour.png")
