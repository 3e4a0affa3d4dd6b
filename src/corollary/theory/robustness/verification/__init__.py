"""Verification of written properties: can inputs in a box give outputs that are unsafe."""
