"""Proofs of the claims in ``architectures``."""
