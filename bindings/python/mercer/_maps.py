"""Maps that are Python functions."""
import json
import struct

import numpy as np
from scipy import sparse

from . import _mercer


def map_name(function):
    """The name under which a file has the function."""
    return getattr(function, "__name__", type(function).__name__)


def map_argument(map, X):
    """A map as the library takes it: its text, or (name, function, number of features)."""
    if map is None:
        return ""
    if not callable(map):
        return map
    first = X[:1].toarray() if sparse.issparse(X) else np.array(X[:1])
    features = np.asarray(map(first))
    if features.ndim != 2 or features.shape[0] != 1 or features.shape[1] < 1:
        raise ValueError(
            f"the map {map_name(map)} returned an array of shape {features.shape} for one row; "
            "it must return one row of features for each row"
        )
    return map_name(map), map, features.shape[1]


def model_of_bytes(data, name, kernels, maps):
    """The model of a file whose map may be one of these functions."""
    (length,) = struct.unpack("<Q", data[:8]) if len(data) >= 8 else (0,)
    single, known = False, []
    try:
        header = json.loads(data[8 : 8 + length])
        shape = header["components"]["shape"]
        single = header["components"]["dtype"] == "F32"
        inputs = header["input_mean"]["shape"][0]
        known = [(key, function, inputs, shape[1]) for key, function in maps.items()]
    except (KeyError, ValueError, TypeError, IndexError):
        pass  # what is wrong with the file is said by the library
    return _mercer.read_model(data, name, single, list(kernels), known)
