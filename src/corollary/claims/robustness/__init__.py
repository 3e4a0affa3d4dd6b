"""Robustness: small perturbations that change an answer, and what can be done about them.

How an attack searches a ball around an input, when its answer is exact, and how it manages without
gradients. A network that is robust by construction, and why trained and random ones are not: their
gradient is of order one where inputs are of order root d. Then the adversarial risk, how training
lowers it, and the theorem that says which gradient to take.
"""
