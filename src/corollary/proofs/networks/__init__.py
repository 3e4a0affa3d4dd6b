"""Proofs of the claims in ``networks``."""
