import numpy as np


def normalizer(d, sigma):
    return (2 * np.pi * sigma**2) ** (-d / 2)


def normalizer__printed(d, sigma):
    return (2 * np.pi * sigma**2) ** (d / 2)


def normalizer__one_dimension(d, sigma):
    return (2 * np.pi * sigma**2) ** -0.5


def normalizer__not_squared(d, sigma):
    return (2 * np.pi * sigma) ** (-d / 2)


def moment_bound(d, sigma):
    return np.sqrt(d) / (2 * np.pi * sigma) * normalizer(d, sigma)


def moment_bound__no_dimension(d, sigma):
    return 1 / (2 * np.pi * sigma) * normalizer(d, sigma)


def moment_bound__no_normalizer(d, sigma):
    return np.sqrt(d) / (2 * np.pi * sigma)


def moment_bound__width_of_the_density(d, sigma):
    return np.sqrt(d) * sigma * normalizer(d, sigma)


def critical_sigma():
    return 1 / np.sqrt(2 * np.pi)


def critical_sigma__one():
    return 1.0


def critical_sigma__no_root():
    return 1 / (2 * np.pi)


def critical_sigma__inverse():
    return np.sqrt(2 * np.pi)
