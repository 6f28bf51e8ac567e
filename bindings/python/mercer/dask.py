"""PCA and approximate kernel PCA of Dask arrays and data frames.

    import dask.array, mercer.dask
    X = dask.array.from_zarr("rows.zarr")
    pca = mercer.dask.PCA(n_components=10).fit(X)
    scores = pca.transform(X)                 # a Dask array, computed where it is used
    pca.save("model.st")                      # which `mercer transform` reads

Each task sums the rows of one partition; the sums are merged in the order of the partitions by a fixed
tree. Tasks are pure, so a worker that is lost costs its tasks and changes no bit of the result.
"""
from ._dask_kernel_pca import KernelPCA
from ._dask_pca import PCA

__all__ = ["PCA", "KernelPCA"]
