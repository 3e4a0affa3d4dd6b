"""Threshold units, perceptrons, counting of dichotomies and associative memories."""
