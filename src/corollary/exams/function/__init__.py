"""What function is it?

The network as a map from inputs to outputs, whatever its weights: where it bends and how fast it
turns, what it reads, which symmetries it has, and what its layers make of the samples.
"""
