import numpy as np


def moments(mu, sigma):
    return [mu, sigma**2]


def moments__deviation(mu, sigma):
    return [mu, sigma]


def moments__second(mu, sigma):
    return [mu, sigma**2 + mu**2]


def moments__order(mu, sigma):
    return [sigma**2, mu]


def moments__standard(mu, sigma):
    return [0, 1]


def whitening(mu, Sigma):
    return {"c": mu, "R": np.linalg.cholesky(Sigma)}


def whitening__transposed(mu, Sigma):
    return {"c": mu, "R": np.linalg.cholesky(np.linalg.inv(Sigma))}


def whitening__covariance(mu, Sigma):
    return {"c": mu, "R": Sigma}


def whitening__centred(mu, Sigma):
    return {"c": 0 * mu, "R": np.linalg.cholesky(Sigma)}


def whitening__diagonal(mu, Sigma):
    return {"c": mu, "R": np.diag(np.diag(Sigma) ** 0.5)}


def affine_moments(mu, Sigma, A, b):
    return {"mean": A @ mu + b, "covariance": A @ Sigma @ A.T}


def affine_moments__no_shift(mu, Sigma, A, b):
    return {"mean": A @ mu, "covariance": A @ Sigma @ A.T}


def affine_moments__one_side(mu, Sigma, A, b):
    return {"mean": A @ mu + b, "covariance": A @ Sigma}


def affine_moments__shifted_spread(mu, Sigma, A, b):
    return {"mean": A @ mu + b, "covariance": A @ Sigma @ A.T + np.outer(b, b)}


def affine_moments__transposed(mu, Sigma, A, b):
    return {"mean": A @ mu + b, "covariance": A.T @ Sigma @ A}
