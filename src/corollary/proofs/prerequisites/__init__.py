"""Proofs of the claims in ``prerequisites``."""
