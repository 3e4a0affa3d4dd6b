"""Proofs of the claims in ``landscape``."""
