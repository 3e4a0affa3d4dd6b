import numpy as np


def product_network(a1, W1, b1, a2, W2, b2):
    a, W, b = [], [], []
    for i in range(len(a1)):
        for j in range(len(a2)):
            a += [a1[i] * a2[j] / 2] * 2
            W += [W1[i] + W2[j], W1[i] - W2[j]]
            b += [b1[i] + b2[j], b1[i] - b2[j]]
    return {"a": a, "W": np.array(W), "b": b}


def product_network__twice(a1, W1, b1, a2, W2, b2):
    return product_network(2 * a1, W1, b1, a2, W2, b2)


def product_network__sum(a1, W1, b1, a2, W2, b2):
    return {"a": [*a1, *a2], "W": [*W1, *W2], "b": [*b1, *b2]}


def product_network__same_index(a1, W1, b1, a2, W2, b2):
    k = min(len(a1), len(a2))
    a, b, W = a1[:k] * a2[:k], b1[:k] + b2[:k], W1[:k] + W2[:k]
    return {"a": a, "W": W, "b": b}


def product_network__no_shift(a1, W1, b1, a2, W2, b2):
    return product_network(a1, W1, 0 * b1, a2, W2, 0 * b2)


def product_network__sums_only(a1, W1, b1, a2, W2, b2):
    made = product_network(a1, W1, b1, a2, W2, b2)
    return {"a": 2 * np.array(made["a"])[::2], "W": made["W"][::2], "b": made["b"][::2]}
