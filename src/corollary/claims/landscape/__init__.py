"""Loss landscapes: minima, saddles and gradient flow.

Linear networks are the case that can be solved: their loss is not convex, yet every local minimum
is global, every other critical point a saddle, and gradient flow obeys conservation laws that turn
it into a handful of ordinary equations. On the way: derivatives in a matrix, the exact second and
fourth moments of random products that decide whether a deep network starts with a gradient at all,
and what changes when the network is small and no longer linear.
"""
