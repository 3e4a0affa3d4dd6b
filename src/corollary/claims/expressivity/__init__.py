"""Expressivity: what a network of given width and depth can be.

A network of rectifiers is affine on each cell of a mosaic. How many cells there can be, how depth
folds the plane to have more of them, and which functions a shallow network cannot follow: counted
exactly, beside the bounds.
"""
