#!/usr/bin/env python3
"""PCA of a Spark data frame: spark-submit examples/spark_moments.py rows.parquet model.st

This example has not been run on Spark. The two functions that it uses are tested with the contract of
`mapInPandas` in separate processes. The workers need the packages mercer, pandas and pyarrow.
"""
import sys

from mercer.spark import SCHEMA, merge_moments, partial_moments


def main(rows, model):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("mercer").getOrCreate()
    frame = spark.read.parquet(rows)
    numbers = [name for name, kind in frame.dtypes if kind in ("double", "float", "bigint", "int")]
    frame = frame.select(numbers).na.drop()
    parts = frame.mapInPandas(partial_moments(numbers, scale=True), SCHEMA).collect()
    moments = merge_moments(parts, frame.rdd.getNumPartitions())
    pca = moments.model(n_components=min(10, len(numbers)))
    pca.save(model)  # mercer transform MODEL new.csv
    print(f"{moments.n_samples} rows, explained variance {pca.explained_variance_ratio_.round(4)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} ROWS.parquet MODEL.st")
    main(*sys.argv[1:])
