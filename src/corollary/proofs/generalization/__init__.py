"""Proofs of the claims in ``generalization``."""
