"""Scaling with width and depth: measured exponents, and the change that makes it transfer."""
