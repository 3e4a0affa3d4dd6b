"""Regression with the kernels of infinitely wide networks."""
