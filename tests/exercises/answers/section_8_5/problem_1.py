from itertools import product

import numpy as np


def complexity(F):
    n = F.shape[1]
    return np.mean([(F @ np.array(s)).max() for s in product((-1, 1), repeat=n)]) / n


def complexity_of_sum(F, G):
    return complexity(F) + complexity(G)


def complexity_of_sum__union(F, G):
    return complexity(np.vstack([F, G]))


def complexity_of_sum__largest(F, G):
    return max(complexity(F), complexity(G))


def complexity_of_sum__no_mean(F, G):
    return F.shape[1] * (complexity(F) + complexity(G))


def complexity_of_sum__one_row(F, G):
    k = min(len(F), len(G))
    return complexity(F[:k] + G[:k])


def contraction_gap(F, L):
    return L * complexity(F) - complexity(L * abs(F))


def contraction_gap__no_factor(F, L):
    return complexity(F) - complexity(abs(F))


def contraction_gap__sign(F, L):
    return -contraction_gap(F, L)


def contraction_gap__zero(F, L):
    return 0.0


def contraction_gap__only_bound(F, L):
    return L * complexity(F)
