"""Certificates: radii within which no perturbation changes what a classifier says."""
