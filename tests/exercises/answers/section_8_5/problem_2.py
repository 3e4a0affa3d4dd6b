from itertools import product

import numpy as np

from corollary.core.proof import eq, ge, le, let


def start(X, w):
    s = 1 / np.cosh(X @ w) ** 2
    return np.linalg.norm(X @ X.T * np.outer(s, s))


def unit_bound(X, w):
    yield let("", start(X, w))
    yield le("", np.linalg.norm(X @ X.T), "the derivatives are at most 1")
    yield le("", (X**2).sum(), "submultiplicative")


def unit_bound__equal(X, w):
    yield let("", start(X, w))
    yield eq("", np.linalg.norm(X @ X.T), "the derivatives are 1")
    yield le("", (X**2).sum(), "submultiplicative")


def unit_bound__not_squared(X, w):
    yield let("", start(X, w))
    yield le("", np.linalg.norm(X @ X.T), "the derivatives are at most 1")
    yield le("", np.linalg.norm(X), "submultiplicative")


def unit_bound__wrong_product(X, w):
    yield let("", start(X, w))
    yield le("", np.linalg.norm(X, 2) ** 2, "operator norm")
    yield le("", (X**2).sum(), "submultiplicative")


def unit_ball_complexity(H):
    m = len(H)
    return np.mean([np.linalg.norm(np.tensordot(s, H, 1)) for s in product((-1, 1), repeat=m)]) / m


def unit_ball_complexity__bound(H):
    return (H**2).sum() ** 0.5 / len(H) * (1 + 1e-4)


def unit_ball_complexity__operator(H):
    m = len(H)
    norms = [np.linalg.norm(np.tensordot(s, H, 1), 2) for s in product((-1, 1), repeat=m)]
    return np.mean(norms) / m


def unit_ball_complexity__sum(H):
    return len(H) * unit_ball_complexity(H)


def unit_ball_complexity__no_signs(H):
    return np.linalg.norm(H.sum(0)) / len(H)


def low(G):
    return np.linalg.eigvalsh(G)[0]


def eigenvalue_bound(G, G_hat):
    yield let("", low(G_hat))
    yield ge("", low(G) + low(G_hat - G), "Weyl")
    yield ge("", low(G) - np.linalg.norm(G_hat - G, 2), "operator norm")


def eigenvalue_bound__equal(G, G_hat):
    yield let("", low(G_hat))
    yield eq("", low(G) + low(G_hat - G), "Weyl")
    yield ge("", low(G) - np.linalg.norm(G_hat - G, 2), "operator norm")


def eigenvalue_bound__frobenius(G, G_hat):
    yield let("", low(G_hat))
    yield ge("", low(G) + low(G_hat - G), "Weyl")
    yield ge("", low(G) - np.linalg.norm(G_hat - G) * 1.01, "Frobenius norm")


def eigenvalue_bound__other_sign(G, G_hat):
    yield let("", low(G_hat))
    yield ge("", low(G) + low(G - G_hat), "Weyl")
    yield ge("", low(G) - np.linalg.norm(G_hat - G, 2), "operator norm")
