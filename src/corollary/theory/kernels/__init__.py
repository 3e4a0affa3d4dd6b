"""Kernels: feature maps, Gaussian processes, and the kernels of infinitely wide networks."""
