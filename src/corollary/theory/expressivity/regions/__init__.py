"""Linear regions of piecewise-linear networks: enumerated, described, bounded."""
