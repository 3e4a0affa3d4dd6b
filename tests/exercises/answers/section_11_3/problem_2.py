import numpy as np


def next_difference(H, difference, eta):
    return difference - eta * H @ difference


def next_difference__uphill(H, difference, eta):
    return difference + eta * H @ difference


def next_difference__twice(H, difference, eta):
    return difference - 2 * eta * H @ difference


def next_difference__step(H, difference, eta):
    return -eta * H @ difference


def rates(H, eta):
    return 1 - eta * np.linalg.eigvalsh(H)


def rates__rising(H, eta):
    return rates(H, eta)[::-1]


def rates__positive(H, eta):
    return np.sort(np.abs(rates(H, eta)))[::-1]


def rates__eigenvalues(H, eta):
    return np.linalg.eigvalsh(H)[::-1]


def stopped(H, w_star, eta, k):
    values, Q = np.linalg.eigh(H)
    return Q @ ((1 - (1 - eta * values) ** k) * (Q.T @ w_star))


def stopped__difference(H, w_star, eta, k):
    return stopped(H, w_star, eta, k) - w_star


def stopped__late(H, w_star, eta, k):
    return stopped(H, w_star, eta, k + 1)


def stopped__other_start(H, w_star, eta, k):
    return 2 * w_star - stopped(H, w_star, eta, k)


def stopped__first_order(H, w_star, eta, k):
    return k * eta * H @ w_star


def penalized(H, w_star, lam):
    return np.linalg.solve(H + lam * np.eye(len(H)), H @ w_star)


def penalized__printed(H, w_star, lam):
    return np.linalg.solve(H + 2 * lam * np.eye(len(H)), H @ w_star)


def penalized__loss(H, w_star, lam):
    return w_star - penalized(H, w_star, lam)


def penalized__no_curvature(H, w_star, lam):
    return np.linalg.solve(H + lam * np.eye(len(H)), w_star)


def stopping_time(eigenvalue, eta, lam):
    return np.log(lam / (eigenvalue + lam)) / np.log(1 - eta * eigenvalue)


def stopping_time__approximate(eigenvalue, eta, lam):
    return 1 / (eta * lam)


def stopping_time__other_factor(eigenvalue, eta, lam):
    return np.log(eigenvalue / (eigenvalue + lam)) / np.log(1 - eta * eigenvalue)


def stopping_time__flow(eigenvalue, eta, lam):
    return np.log((eigenvalue + lam) / lam) / (eta * eigenvalue)
