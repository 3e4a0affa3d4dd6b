"""Will it train?

Signals and gradients at the start, layer by layer; units that cannot learn; the curvature that
limits the learning rate; the noise that limits the batch.
"""
