"""Classifiers of small images."""
