import numpy as np


def ridge_prediction(X, y, lam):
    return X @ np.linalg.solve(X.T @ X + lam / 2 * np.eye(X.shape[1]), X.T @ y)


def ridge_prediction__printed(X, y, lam):
    return X @ np.linalg.solve(X.T @ X + lam * np.eye(X.shape[1]), X.T @ y)


def ridge_prediction__no_penalty(X, y, lam):
    return X @ np.linalg.pinv(X) @ y


def ridge_prediction__weights(X, y, lam):
    return np.linalg.solve(X.T @ X + lam / 2 * np.eye(X.shape[1]), X.T @ y)


def ridge_prediction__normal_equations_first(X, y, lam):
    return X @ (np.linalg.inv(X.T @ X) @ X.T @ y) / (1 + lam / 2)


def shrinkage(X, lam):
    s = np.linalg.svd(X)[1]
    return s**2 / (s**2 + lam / 2)


def shrinkage__printed(X, lam):
    s = np.linalg.svd(X)[1]
    return s**2 / (s**2 + lam)


def shrinkage__not_squared(X, lam):
    s = np.linalg.svd(X)[1]
    return s / (s + lam / 2)


def shrinkage__rising(X, lam):
    return shrinkage(X, lam)[::-1]


def shrinkage__what_is_lost(X, lam):
    return 1 - shrinkage(X, lam)
