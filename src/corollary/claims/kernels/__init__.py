"""Kernels: feature maps, Gaussian processes, and networks of infinite width."""
