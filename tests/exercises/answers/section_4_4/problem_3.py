import numpy as np


def kinks(x, f):
    slopes = np.diff(f) / np.diff(x)
    return int((np.abs(np.diff(slopes)) > 1e-9).sum())


def pieces_of_sum(x, f, g):
    return [kinks(x, h) + 1 for h in (f, g, f + g)]


def pieces_of_sum__kinks(x, f, g):
    return [kinks(x, h) for h in (f, g, f + g)]


def pieces_of_sum__bound(x, f, g):
    a, b = kinks(x, f) + 1, kinks(x, g) + 1
    return [a, b, a + b]


def pieces_of_sum__points(x, f, g):
    return [len(x) - 1] * 3


def pieces_of_sum__union(x, f, g):
    a, b = kinks(x, f), kinks(x, g)
    return [a + 1, b + 1, a + b + 1]


def pieces_of_sum__exact_slopes(x, f, g):
    def count(h):
        return int((np.diff(np.diff(h) / np.diff(x)) != 0).sum()) + 1

    return [count(f), count(g), count(f + g)]


def best_depth(m):
    return 2 * m / np.e


def best_depth__units(m):
    return m


def best_depth__no_two(m):
    return m / np.e


def best_depth__vanishes(m):
    return 2 * m


def best_depth__whole(m):
    return round(2 * m / np.e)
