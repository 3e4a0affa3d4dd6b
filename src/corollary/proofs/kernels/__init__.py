"""Proofs of the claims in ``kernels``."""
