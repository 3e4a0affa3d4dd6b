"""Will it train?

Signals and gradients of each layer at the start; units that cannot learn; the curvature, which
limits the learning rate; and the gradient noise, which limits the useful batch size.
"""
