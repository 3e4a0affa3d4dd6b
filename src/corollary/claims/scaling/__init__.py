"""Scaling: width, batch size, learning rate and data, from laws that are checked."""
