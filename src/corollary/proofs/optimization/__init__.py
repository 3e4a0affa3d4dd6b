"""Proofs of the claims in ``optimization``."""
