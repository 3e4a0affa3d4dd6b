"""Approximation theory."""
