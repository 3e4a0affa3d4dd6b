"""Geometry: sets, point clouds and graphs.

Data without an order ask for functions that do not see one. Sums over elements give them for sets,
a maximum for point clouds, sums over neighbours for graphs; each choice has its price, from the
latent dimension of a sum to the colours that message passing cannot tell apart and the smoothing
that depth brings. The Laplacian turns a graph into frequencies, and polynomials in it into filters
that need none. Before that: how many dimensions data have, and how a network unfolds them.
"""
