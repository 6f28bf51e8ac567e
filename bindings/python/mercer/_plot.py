"""A plot that shows and saves itself."""
import contextlib
import os


class Plot:
    """A plot, which notebooks show; `str` of it is the SVG text.

    Attributes
    ----------
    svg : str
        The text that `mercer plot` writes for the same model and rows.
    kind : str

    Examples
    --------
    >>> import mercer
    >>> X, y = mercer.data("clouds")
    >>> plot = mercer.plot(mercer.PCA().fit(X), X, "axes", labels=y)
    >>> plot
    <mercer.Plot of kind 'axes'>
    >>> plot.svg[:4]
    '<svg'
    """

    def __init__(self, svg, kind):
        self.svg = svg
        self.kind = kind

    def save(self, path):
        """Write the SVG text to a file.

        Parameters
        ----------
        path : str or path-like
            Ends in .svg. The file is written atomically.
        """
        path = os.fspath(path)
        if os.path.splitext(path)[1].lower() != ".svg":
            raise ValueError(f"{path!r} does not end in .svg: plots are saved as SVG")
        whole = f"{path}.{os.getpid()}.tmp"
        try:
            with open(whole, "x", encoding="utf-8", newline="\n") as file:
                file.write(self.svg)
            os.replace(whole, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(whole)
            raise

    def _repr_svg_(self):
        return self.svg

    def __str__(self):
        return self.svg

    def __repr__(self):
        return f"<mercer.Plot of kind {self.kind!r}>"
