"""Optimisation: descent methods as plain functions, and the bounds that hold along their paths."""
