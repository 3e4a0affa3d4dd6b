"""Distributions and data sets, drawn from a generator or read from disk."""
