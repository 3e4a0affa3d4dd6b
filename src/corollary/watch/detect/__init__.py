"""Detectors that turn measurements into events: one file per kind of mistake."""
