"""Expressivity: which functions a network of given width and depth can represent.

A network of rectifiers is affine on each cell of a mosaic. How many cells there can be, how depth
folds the plane to have more of them, and which functions a shallow network cannot follow: counted
exactly, beside the bounds.
"""
