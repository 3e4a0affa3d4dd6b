import numpy as np


def dense_matrix(h, D):
    K = len(h)
    W = np.zeros((D - K + 1, D))
    for k in range(D - K + 1):
        W[k, k : k + K] = h[::-1]
    return W


def dense_matrix__correlation(h, D):
    return dense_matrix(h[::-1], D)


def dense_matrix__transposed(h, D):
    return dense_matrix(h, D).T


def dense_matrix__circular(h, D):
    row = np.concatenate([h[::-1], np.zeros(D - len(h))])
    return np.array([np.roll(row, k) for k in range(D)])


def dense_matrix__one_row(h, D):
    return dense_matrix(h, D)[0]


def free_parameters(D, K):
    return [(D - K + 1) * D, K]


def free_parameters__not_shared(D, K):
    return [(D - K + 1) * D, (D - K + 1) * K]


def free_parameters__square(D, K):
    return [D * D, K]


def free_parameters__outputs(D, K):
    return [D - K + 1, K]


def free_parameters__bias(D, K):
    return [(D - K + 1) * (D + 1), K + 1]
