"""Tricks of the trade: starts, normalised weights, decay, ensembles, soft targets."""
