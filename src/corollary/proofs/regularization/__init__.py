"""Proofs of the claims in ``regularization``."""
