"""What pandas and NumPy need for the same file: peers.py NAME FILE RUNS; one line of JSON."""
import json
import sys
import time


def read_pandas(path):
    import pandas

    return lambda: pandas.read_csv(path)


def read_numpy(path):
    import numpy

    return lambda: numpy.loadtxt(path, delimiter=",", skiprows=1)


def main(name, path, runs):
    read = {"pandas": read_pandas, "numpy": read_numpy}[name](path)
    best = float("inf")
    for _ in range(int(runs)):
        start = time.perf_counter()
        table = read()
        best = min(best, time.perf_counter() - start)
    print(json.dumps({"seconds": best, "sums": [float(x) for x in table.sum(axis=0)]}))


main(*sys.argv[1:])
