"""The landscape of a network's loss: critical points, curvature, deep linear networks."""
