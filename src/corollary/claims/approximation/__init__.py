"""Approximation: which functions a network can come close to, and at what price.

Constructions with a promised error and number of units, the theorems of Weierstrass, Stone,
Cybenko, Hornik and Leshno with what breaks when a condition is dropped, and Barron's rate, in which
the dimension does not appear.
"""
