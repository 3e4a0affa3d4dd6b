"""Architectures: convolution, pooling, shortcuts and normalisation.

A linear map that treats every place alike is a convolution, and a convolution is a matrix with few
distinct entries. From this come the savings in weights, the gradients, which are convolutions
again, and the growth of what one unit sees. Pooling then gives up places, shortcuts carry the
signal through depth, and normalisation frees a unit from the length of its weights.
"""
