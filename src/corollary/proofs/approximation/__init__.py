"""Proofs of the claims in ``approximation``."""
