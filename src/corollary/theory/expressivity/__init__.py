"""Expressivity: what depth, width and piecewise linearity can and cannot represent."""
