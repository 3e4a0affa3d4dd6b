"""Generalisation: risks, deviation inequalities, capacities, and the bounds made from them."""
