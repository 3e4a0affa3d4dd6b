"""Proofs of the claims in ``connectionism``."""
