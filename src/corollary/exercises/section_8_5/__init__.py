"""Generalization."""
