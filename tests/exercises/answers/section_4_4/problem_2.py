from corollary.core.proof import eq, le, let


def mean_error(V, p, k):
    return p @ ((V - p @ V) ** 2).sum(1) / k


def mean_error__sum(V, p, k):
    return p @ ((V - p @ V) ** 2).sum(1)


def mean_error__squared(V, p, k):
    return p @ ((V - p @ V) ** 2).sum(1) / k**2


def mean_error__not_centred(V, p, k):
    return p @ (V**2).sum(1) / k


def mean_error__uniform(V, p, k):
    return ((V - V.mean(0)) ** 2).sum(1).mean() / k


def maurey_bound(V, p, k):
    X, squares = p @ V, (V**2).sum(1)
    yield let("", mean_error(V, p, k))
    yield eq("", (p @ squares - X @ X) / k, "the cross term is -2 |X|^2")
    yield le("", p @ squares / k, "a square is left out")
    yield le("", squares[p > 0].max() / k, "a mean is at most the largest value")


def maurey_bound__all_values(V, p, k):
    squares = (V**2).sum(1)
    yield let("", mean_error(V, p, k))
    yield le("", p @ squares / k, "a square is left out")
    yield le("", squares.max() / k, "a mean is at most the largest value")


def maurey_bound__cross_term(V, p, k):
    X, squares = p @ V, (V**2).sum(1)
    yield let("", mean_error(V, p, k))
    yield eq("", (p @ squares + X @ X) / k, "no cross term")
    yield le("", squares[p > 0].max() / k, "a mean is at most the largest value")


def maurey_bound__no_k(V, p, k):
    squares = (V**2).sum(1)
    yield let("", k * mean_error(V, p, k))
    yield le("", p @ squares, "a square is left out")
    yield le("", squares[p > 0].max(), "a mean is at most the largest value")


def maurey_bound__norms(V, p, k):
    squares = (V**2).sum(1)
    yield let("", mean_error(V, p, k))
    yield le("", p @ squares / k, "a square is left out")
    yield le("", squares[p > 0].max() ** 0.5 / k, "a mean is at most the largest value")
