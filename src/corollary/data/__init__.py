"""Distributions and small data sets, each drawn from a generator."""
