"""Stochastic gradients: their noise, the descent that follows them, and what it costs."""
