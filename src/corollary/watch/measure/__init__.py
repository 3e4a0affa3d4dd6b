"""Measurements of a run, from passes that the loop makes anyway or a few Hessian products."""
