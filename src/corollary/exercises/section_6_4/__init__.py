"""Landscape of the loss."""
