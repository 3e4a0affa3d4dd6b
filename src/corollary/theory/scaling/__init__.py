"""Scaling: how sizes of activations, gradients and updates grow with the width of a network."""
