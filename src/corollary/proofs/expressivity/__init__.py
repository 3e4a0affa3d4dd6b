"""Proofs of the claims in ``expressivity``."""
