import numpy as np

from corollary.core.proof import eq, le, let


def f(A, x):
    return x @ A @ x / 2 + np.cos(x).sum()


def expansion(A, z, x):
    s, H = x - z, A - np.diag(np.cos(z))
    return f(A, z) + (A @ z - np.sin(z)) @ s + s @ H @ s / 2


def expansion__no_half(A, z, x):
    s, H = x - z, A - np.diag(np.cos(z))
    return f(A, z) + (A @ z - np.sin(z)) @ s + s @ H @ s


def expansion__itself(A, z, x):
    return f(A, x)


def expansion__first_order(A, z, x):
    return f(A, z) + (A @ z - np.sin(z)) @ (x - z)


def expansion__at_x(A, z, x):
    return expansion(A, x, z)


def hessian_product(A, x, v):
    return A @ v - np.cos(x) * v


def hessian_product__sign(A, x, v):
    return A @ v + np.cos(x) * v


def hessian_product__no_cosines(A, x, v):
    return A @ v


def hessian_product__first_derivative(A, x, v):
    return A @ v - np.sin(x) * v


def hessian_product__coarse_limit(A, x, v):
    t = 0.1
    return A @ v - (np.sin(x + t * v) - np.sin(x)) / t


def largest_eigenvalue(A, x):
    H = A - np.diag(np.cos(x))
    values, vectors = np.linalg.eigh(H)
    v = vectors[:, -1]
    yield let("", values[-1])
    yield eq("", v @ H @ v, "v is a unit eigenvector")
    yield le("", np.linalg.norm(H @ v), "Cauchy-Schwarz")
    yield le("", np.linalg.norm(A, 2) + 1, "the gradient is Lipschitz")


def largest_eigenvalue__equal(A, x):
    H = A - np.diag(np.cos(x))
    values, vectors = np.linalg.eigh(H)
    yield let("", values[-1])
    yield eq("", np.linalg.norm(H @ vectors[:, -1]), "v is an eigenvector")
    yield le("", np.linalg.norm(A, 2) + 1, "the gradient is Lipschitz")


def largest_eigenvalue__no_cosines(A, x):
    H = A - np.diag(np.cos(x))
    values, vectors = np.linalg.eigh(H)
    yield let("", values[-1])
    yield le("", np.linalg.norm(H @ vectors[:, -1]), "Cauchy-Schwarz")
    yield le("", np.linalg.norm(A, 2), "the gradient is Lipschitz")


def largest_eigenvalue__at_once(A, x):
    yield let("", np.linalg.eigvalsh(A - np.diag(np.cos(x)))[-1])
    yield le("", np.linalg.norm(A, 2) + 1, "clear")
