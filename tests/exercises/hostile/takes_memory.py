import numpy as np


def next_iterate(X, y, w, eta):
    return np.ones((10**6, 10**4))


def hessian(X, y, w):
    return [w.tolist()] * 10**8
