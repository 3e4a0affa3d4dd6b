"""Bounds on the error of trained networks."""
