"""Proofs of the claims in ``double_descent``."""
