"""Proofs of the claims in ``robustness``."""
