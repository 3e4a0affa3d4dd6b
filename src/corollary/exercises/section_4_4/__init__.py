"""Complexity theory."""
