import numpy as np

from corollary.core.proof import eq, le, let


def norm(A):
    return np.linalg.norm(A, 2)


def triangle(A, B):
    v = np.linalg.svd(A + B)[2][0]
    yield let("", norm(A + B))
    yield eq("", np.linalg.norm(A @ v + B @ v), "v attains the supremum")
    yield le("", np.linalg.norm(A @ v) + np.linalg.norm(B @ v), "triangle inequality")
    yield le("", norm(A) + norm(B), "both are at most a supremum")


def triangle__other_vector(A, B):
    v = np.ones(A.shape[1])
    yield let("", norm(A + B))
    yield le("", np.linalg.norm(A @ v) + np.linalg.norm(B @ v), "triangle inequality")
    yield le("", norm(A) + norm(B), "both are at most a supremum")


def triangle__frobenius(A, B):
    v = np.linalg.svd(A + B)[2][0]
    yield let("", np.linalg.norm(A + B))
    yield le("", np.linalg.norm(A @ v) + np.linalg.norm(B @ v), "triangle inequality")
    yield le("", np.linalg.norm(A) + np.linalg.norm(B), "both are at most a supremum")


def triangle__equal(A, B):
    yield let("", norm(A + B))
    yield eq("", norm(A) + norm(B), "linear")


def triangle__padded(A, B):
    yield let("", norm(A + B))
    yield eq("", norm(A + B), "the same")
    yield le("", norm(A) + norm(B), "a norm")


def maximizer(A):
    return np.linalg.svd(A)[2][0]


def maximizer__left(A):
    return np.linalg.svd(A)[0][:, 0]


def maximizer__last(A):
    return np.linalg.svd(A)[2][-1]


def maximizer__column(A):
    return np.linalg.svd(A)[2][:, 0]


def maximizer__not_normalized(A):
    return A.T @ np.linalg.svd(A)[0][:, 0]


def gram_eigenpair(A):
    values, vectors = np.linalg.eigh(A.T @ A)
    return {"value": values[-1], "vector": 2 * vectors[:, -1]}


def gram_eigenpair__root(A):
    return {"value": norm(A), "vector": maximizer(A)}


def gram_eigenpair__smallest(A):
    values, vectors = np.linalg.eigh(A.T @ A)
    return {"value": values[0], "vector": vectors[:, 0]}


def gram_eigenpair__other_side(A):
    values, vectors = np.linalg.eigh(A @ A.T)
    return {"value": values[-1], "vector": vectors[:, -1]}


def gram_eigenpair__zero(A):
    return {"value": norm(A) ** 2, "vector": 0 * A[0]}
