import math

import numpy as np

from corollary.core.proof import eq, le, let


def coefficients(N):
    c = np.zeros(N + 1)
    c[1:2] = 1 / 4
    for k in range(2, N + 1, 2):
        l = k // 2 - 1
        c[k] = math.comb(2 * l, l) / 4**l / (2 * l + 1) / (2 * math.pi)
    return c


def coefficients__no_half(N):
    c = coefficients(N)
    c[2:] *= 2
    return c


def coefficients__no_linear_term(N):
    c = coefficients(N)
    c[1:2] = 0
    return c


def coefficients__shifted(N):
    return np.concatenate([[0], coefficients(N)[:-1]]) if N else coefficients(N)


def coefficients__too_long(N):
    return coefficients(N + 1)


def pieces(X, beta):
    n, y, K = len(X), X @ beta, X @ X.T
    H = K * (np.pi - np.arccos(np.clip(K, -1, 1))) / (2 * np.pi)
    return n, y, K, H


def error_bound(X, beta):
    n, y, K, H = pieces(X, beta)
    quadratic = y @ np.linalg.solve(K, y)
    yield let("", np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n)
    yield le("", np.sqrt(8 * quadratic * np.trace(H)) / n, "4 / K is larger than 1 / H")
    yield le("", np.sqrt(8 * quadratic / n), "the trace is at most n")
    yield le("", 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n), "a projection")


def error_bound__at_once(X, beta):
    n, y, K, H = pieces(X, beta)
    yield let("", np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n)
    yield le("", 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n), "clear")


def error_bound__no_four(X, beta):
    n, y, K, H = pieces(X, beta)
    quadratic = y @ np.linalg.solve(K, y)
    yield let("", np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n)
    yield le("", np.sqrt(2 * quadratic * np.trace(H)) / n, "1 / K is larger than 1 / H")
    yield le("", 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n), "a projection")


def error_bound__trace_is_n(X, beta):
    n, y, K, H = pieces(X, beta)
    quadratic = y @ np.linalg.solve(K, y)
    yield let("", np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n)
    yield le("", np.sqrt(8 * quadratic * np.trace(H)) / n, "4 / K is larger than 1 / H")
    yield eq("", np.sqrt(8 * quadratic / n), "the trace is n")
    yield le("", 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n), "a projection")


def error_bound__not_through(X, beta):
    n, y, K, H = pieces(X, beta)
    yield let("", np.sqrt(2 * y @ np.linalg.solve(H, y) * np.trace(H)) / n)
    yield le("", np.sqrt(2 * y @ np.linalg.solve(H, y) / n), "the trace is at most n")
    yield le("", 2 * np.sqrt(2) * np.linalg.norm(beta) / np.sqrt(n), "clear")
