"""Regularization."""
