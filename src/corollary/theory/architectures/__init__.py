"""Convolution, pooling and normalisation: the linear algebra inside image networks."""
