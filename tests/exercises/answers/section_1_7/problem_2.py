import numpy as np


def squared_error_gradient(A, x, y):
    return 2 * A.T @ (A @ x - y)


def squared_error_gradient__half(A, x, y):
    return A.T @ (A @ x - y)


def squared_error_gradient__sign(A, x, y):
    return 2 * A.T @ (y - A @ x)


def squared_error_gradient__no_target(A, x, y):
    return 2 * A.T @ A @ x


def squared_error_gradient__not_transposed(A, x, y):
    return 2 * A @ (A @ x - y)


def factorization_gradients(U, V, R):
    return {"U": (U @ V - R) @ V.T, "V": U.T @ (U @ V - R)}


def factorization_gradients__twice(U, V, R):
    return {"U": 2 * (U @ V - R) @ V.T, "V": 2 * U.T @ (U @ V - R)}


def factorization_gradients__one_sign(U, V, R):
    return {"U": (U @ V - R) @ V.T, "V": -U.T @ (U @ V - R)}


def factorization_gradients__transposed(U, V, R):
    return {"U": V @ (U @ V - R).T, "V": U.T @ (U @ V - R)}


def factorization_gradients__only_one(U, V, R):
    return {"U": (U @ V - R) @ V.T}


def nonlinear_derivatives(X, y, l, l1, l2):
    r, n = y - l, len(y)
    return {"gradient": -X.T @ (r * l1) / n, "hessian": X.T * (l1**2 - r * l2) @ X / n}


def nonlinear_derivatives__gauss_newton(X, y, l, l1, l2):
    return nonlinear_derivatives(X, y, l, l1, l2) | {"hessian": X.T * l1**2 @ X / len(y)}


def nonlinear_derivatives__sign(X, y, l, l1, l2):
    hessian = X.T * (l1**2 + (y - l) * l2) @ X / len(y)
    return nonlinear_derivatives(X, y, l, l1, l2) | {"hessian": hessian}


def nonlinear_derivatives__sum(X, y, l, l1, l2):
    return {k: len(y) * v for k, v in nonlinear_derivatives(X, y, l, l1, l2).items()}


def nonlinear_derivatives__no_slope(X, y, l, l1, l2):
    return nonlinear_derivatives(X, y, l, l1, l2) | {"gradient": -X.T @ (y - l) / len(y)}


def nonlinear_derivatives__uphill(X, y, l, l1, l2):
    return nonlinear_derivatives(X, y, l, l1, l2) | {"gradient": np.mean(X.T * (y - l) * l1, 1)}
