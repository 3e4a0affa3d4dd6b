"""What function is it?

The network as a map from inputs to outputs: where it bends and how fast its slope changes, which
features it reads, which symmetries it has, and how its layers represent the samples.
"""
