from functools import reduce

import numpy as np


def chain(factors, d):
    return reduce(lambda W, F: F @ W, factors, np.eye(d))


def flow(factors, target, k):
    L, d, _ = factors.shape
    A, B = chain(factors[k:], d), chain(factors[: k - 1], d)
    return A.T @ (target - A @ factors[k - 1] @ B) @ B.T / L


def flow__gradient(factors, target, k):
    return -flow(factors, target, k)


def flow__no_depth(factors, target, k):
    return len(factors) * flow(factors, target, k)


def flow__index_from_zero(factors, target, k):
    return flow(factors, target, k + 1 if k < len(factors) else 1)


def flow__reversed(factors, target, k):
    return flow(factors[::-1], target, k)


def flow__no_transposes(factors, target, k):
    L, d, _ = factors.shape
    A, B = chain(factors[k:], d), chain(factors[: k - 1], d)
    return A @ (target - A @ factors[k - 1] @ B) @ B / L


def conserved_rate(factors, target, k):
    return flow(factors, target, k) @ factors[k - 1].T


def conserved_rate__other_order(factors, target, k):
    return flow(factors, target, k + 1) @ factors[k].T


def conserved_rate__no_transpose(factors, target, k):
    return factors[k] @ flow(factors, target, k + 1)


def conserved_rate__no_depth(factors, target, k):
    return len(factors) * conserved_rate(factors, target, k)


def conserved_rate__zero(factors, target, k):
    return 0 * factors[0]


def balanced_factors(W, L):
    if L == 1:
        return [W]
    U, s, V = np.linalg.svd(W)
    root = np.diag(s ** (1 / L))
    return [root @ V] + [root] * (L - 2) + [U @ root]


def balanced_factors__no_root(W, L):
    U, s, V = np.linalg.svd(W)
    return [np.diag(s) @ V] + [np.eye(len(W))] * (L - 2) + [U]


def balanced_factors__reversed(W, L):
    return balanced_factors(W, L)[::-1]


def balanced_factors__identity(W, L):
    return [W] + [np.eye(len(W))] * (L - 1)


def balanced_factors__square_roots(W, L):
    U, s, V = np.linalg.svd(W)
    root = np.diag(s**0.5)
    return [root @ V] + [root] * (L - 2) + [U @ root]


def balanced_factors__one_too_few(W, L):
    return balanced_factors(W, L)[1:]


def power(S, p):
    values, Q = np.linalg.eigh(S)
    return Q * np.maximum(values, 0) ** p @ Q.T


def product_flow(W, target, L):
    terms = (
        power(W @ W.T, (L - k) / L) @ (target - W) @ power(W.T @ W, (k - 1) / L)
        for k in range(1, L + 1)
    )
    return sum(terms) / L


def product_flow__no_depth(W, target, L):
    return L * product_flow(W, target, L)


def product_flow__single(W, target, L):
    return target - W


def product_flow__sides(W, target, L):
    terms = (
        power(W.T @ W, (L - k) / L) @ (target - W) @ power(W @ W.T, (k - 1) / L)
        for k in range(1, L + 1)
    )
    return sum(terms) / L


def product_flow__whole_powers(W, target, L):
    terms = (power(W @ W.T, L - k) @ (target - W) @ power(W.T @ W, k - 1) for k in range(1, L + 1))
    return sum(terms) / L
