import numpy as np

from corollary.core.proof import eq, le, let


def weight_gradient(W, a, x):
    return np.outer(a * np.cos(W @ x), x)


def weight_gradient__no_derivative(W, a, x):
    return np.outer(a, x)


def weight_gradient__no_output(W, a, x):
    return np.outer(np.cos(W @ x), x)


def weight_gradient__value(W, a, x):
    return np.outer(a * np.sin(W @ x), x)


def weight_gradient__transposed(W, a, x):
    return weight_gradient(W, a, x).T


def linear_part(W, W0, a, x):
    return (weight_gradient(W0, a, x) * (W - W0)).sum()


def linear_part__at_the_end(W, W0, a, x):
    return (weight_gradient(W, a, x) * (W - W0)).sum()


def linear_part__whole(W, W0, a, x):
    return a @ np.sin(W0 @ x) + linear_part(W, W0, a, x)


def linear_part__change(W, W0, a, x):
    return a @ np.sin(W @ x) - a @ np.sin(W0 @ x)


def sides(W, W0, a, x):
    u = (W - W0) @ x
    start = abs(a @ (np.sin(W @ x) - np.sin(W0 @ x) - np.cos(W0 @ x) * u))
    return start, u, len(a) ** 0.5, ((W - W0) ** 2).sum() * (x @ x)


def linearization_error(W, W0, a, x):
    start, u, root, end = sides(W, W0, a, x)
    yield let("", start)
    yield le("", u @ u / (2 * root), "every term by smoothness")
    yield le("", end / (2 * root), "Cauchy-Schwarz in every row")


def linearization_error__no_half(W, W0, a, x):
    start, u, root, end = sides(W, W0, a, x)
    yield let("", start)
    yield le("", u @ u / root, "every term by smoothness")
    yield le("", end / root, "Cauchy-Schwarz in every row")


def linearization_error__width(W, W0, a, x):
    start, u, root, end = sides(W, W0, a, x)
    yield let("", start)
    yield le("", u @ u / (2 * root**2), "every term by smoothness")
    yield le("", end / (2 * root**2), "Cauchy-Schwarz in every row")


def linearization_error__equal(W, W0, a, x):
    start, u, root, end = sides(W, W0, a, x)
    yield let("", start)
    yield le("", u @ u / (2 * root), "every term by smoothness")
    yield eq("", end / (2 * root), "Cauchy-Schwarz in every row")


def linearization_error__signed(W, W0, a, x):
    start, u, root, end = sides(W, W0, a, x)
    yield let("", -start)
    yield le("", u @ u / (2 * root), "every term by smoothness")
    yield le("", end / (2 * root), "Cauchy-Schwarz in every row")
