import numpy as np


def f(W, X):
    return np.maximum(X @ W.T, 0).sum(1) / len(W) ** 0.5


def loss_gradient(W, X, y):
    return ((X @ W.T > 0) * (f(W, X) - y)[:, None]).T @ X / len(W) ** 0.5


def loss_gradient__flow(W, X, y):
    return -loss_gradient(W, X, y)


def loss_gradient__twice(W, X, y):
    return 2 * loss_gradient(W, X, y)


def loss_gradient__no_scale(W, X, y):
    return len(W) ** 0.5 * loss_gradient(W, X, y)


def loss_gradient__linear(W, X, y):
    return (np.ones((len(X), len(W))) * (f(W, X) - y)[:, None]).T @ X / len(W) ** 0.5


def velocity(W, X, y):
    return gram_matrix(W, X) @ (y - f(W, X))


def velocity__away(W, X, y):
    return -velocity(W, X, y)


def velocity__no_kernel(W, X, y):
    return y - f(W, X)


def velocity__limit(W, X, y):
    return limit_kernel(X) @ (y - f(W, X))


def gram_matrix(W, X):
    active = (X @ W.T > 0) * 1.0
    return X @ X.T * (active @ active.T) / len(W)


def gram_matrix__sum(W, X):
    return gram_matrix(W, X) * len(W)


def gram_matrix__no_points(W, X):
    active = (X @ W.T > 0) * 1.0
    return active @ active.T / len(W)


def gram_matrix__linear(W, X):
    return X @ X.T


def gram_matrix__features(W, X):
    h = np.maximum(X @ W.T, 0)
    return h @ h.T / len(W)


def limit_kernel(X):
    z = np.clip(X @ X.T, -1, 1)
    return z * (np.pi - np.arccos(z)) / (2 * np.pi)


def limit_kernel__rounding(X):
    z = X @ X.T * (1 + 1e-15)
    return z * (np.pi - np.arccos(z)) / (2 * np.pi)


def limit_kernel__half_circle(X):
    return 2 * limit_kernel(X)


def limit_kernel__angle(X):
    z = np.clip(X @ X.T, -1, 1)
    return z * np.arccos(z) / (2 * np.pi)


def limit_kernel__no_points(X):
    z = np.clip(X @ X.T, -1, 1)
    return (np.pi - np.arccos(z)) / (2 * np.pi)


def limit_kernel__first_order(X):
    z = X @ X.T
    return z / 4 + z**2 / (2 * np.pi)
