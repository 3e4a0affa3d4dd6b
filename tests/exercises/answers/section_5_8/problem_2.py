import numpy as np

from corollary.core.proof import eq, ge, le, let


def norm(A):
    return np.linalg.norm(A, 2)


def next_iterate(X, y, w, eta):
    return w - eta * X.T @ (X @ w - y)


def next_iterate__uphill(X, y, w, eta):
    return w + eta * X.T @ (X @ w - y)


def next_iterate__twice(X, y, w, eta):
    return w - 2 * eta * X.T @ (X @ w - y)


def next_iterate__mean(X, y, w, eta):
    return w - eta * X.T @ (X @ w - y) / len(y)


def next_iterate__gradient(X, y, w, eta):
    return X.T @ (X @ w - y)


def next_iterate__no_target(X, y, w, eta):
    return w - eta * X.T @ (X @ w)


def next_iterate__not_transposed(X, y, w, eta):
    return w - eta * X @ (X @ w - y)


def next_iterate__row(X, y, w, eta):
    return (w - eta * X.T @ (X @ w - y))[None]


def hessian(X, y, w):
    return {"hessian": X.T @ X, "root": X}


def hessian__twice(X, y, w):
    return {"hessian": 2 * X.T @ X, "root": 2**0.5 * X}


def hessian__mean(X, y, w):
    return {"hessian": X.T @ X / len(X), "root": X / len(X) ** 0.5}


def hessian__points(X, y, w):
    return {"hessian": X @ X.T, "root": X.T}


def hessian__transposed_root(X, y, w):
    return {"hessian": X.T @ X, "root": X.T}


def hessian__other_root(X, y, w):
    return {"hessian": X.T @ X, "root": 2 * X}


def hessian__no_root(X, y, w):
    return {"hessian": X.T @ X}


def hessian__alone(X, y, w):
    return X.T @ X


def errors(X, w_star, w_1, eta, t):
    A = np.eye(len(w_1)) - eta * X.T @ X
    found = [w_1 - w_star]
    for _ in range(t):
        found.append(A @ found[-1])
    return norm(A), [np.linalg.norm(e) for e in found]


def distance_bound(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield "One step multiplies the error by I - eta X^T X."
    yield let("|w_{t+1} - w*|", e[t])
    for k in range(1, t + 1):
        yield le(f"q^{k} |w_{t + 1 - k} - w*|", q**k * e[t - k], "operator norm")


def distance_bound__at_once(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("|w_{t+1} - w*|", e[t])
    yield le("q^t |w_1 - w*|", q**t * e[0], "clear")


def distance_bound__padded(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("|w_{t+1} - w*|", e[t])
    yield eq("the same", e[t], "clear")
    yield le("q^t |w_1 - w*|", q**t * e[0], "clear")


def distance_bound__backwards(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("q^t |w_1 - w*|", q**t * e[0])
    for k in range(t - 1, -1, -1):
        yield ge(f"q^{k} |w_{t + 1 - k} - w*|", q**k * e[t - k], "operator norm")


def distance_bound__equal(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("|w_{t+1} - w*|", e[t])
    for k in range(1, t + 1):
        yield eq(f"q^{k} |w_{t + 1 - k} - w*|", q**k * e[t - k], "operator norm")


def distance_bound__no_reason(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("|w_{t+1} - w*|", e[t])
    for k in range(1, t + 1):
        yield le(f"q^{k} |w_{t + 1 - k} - w*|", q**k * e[t - k], "")


def distance_bound__one_power_more(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    yield let("|w_{t+1} - w*|", e[t])
    for k in range(1, t + 1):
        yield le(f"q^{k + 1} ...", q ** (k + 1) * e[t - k], "operator norm")


def distance_bound__numbers(X, w_star, w_1, eta, t):
    q, e = errors(X, w_star, w_1, eta, t)
    return [e[t], q * e[t - 1], q**t * e[0]]


def distance_bound__small_rate_only(X, w_star, w_1, eta, t):
    _, e = errors(X, w_star, w_1, eta, t)
    q = 1 - eta * np.linalg.svd(X)[1].min() ** 2
    yield let("|w_{t+1} - w*|", e[t])
    for k in range(1, t + 1):
        yield le(f"q^{k} |w_{t + 1 - k} - w*|", q**k * e[t - k], "operator norm")


def contraction(X, eta):
    return norm(np.eye(X.shape[1]) - eta * X.T @ X)


def contraction__squares_of_svd(X, eta):
    return np.abs(1 - eta * np.linalg.svd(X)[1] ** 2).max()


def contraction__smallest(X, eta):
    return 1 - eta * np.linalg.eigvalsh(X.T @ X)[0]


def contraction__largest(X, eta):
    return abs(1 - eta * norm(X) ** 2)


def contraction__loss(X, eta):
    return norm(np.eye(X.shape[1]) - eta * X.T @ X) ** 2


def contraction__not_squared(X, eta):
    return np.abs(1 - eta * np.linalg.svd(X)[1]).max()


def contraction__frobenius(X, eta):
    return np.linalg.norm(np.eye(X.shape[1]) - eta * X.T @ X)


def contraction__below_one(X, eta):
    return min(norm(np.eye(X.shape[1]) - eta * X.T @ X), 1 - 1e-9)


def contraction__points(X, eta):
    return norm(np.eye(len(X)) - eta * X @ X.T)


def contraction__true(X, eta):
    return eta < 1 / norm(X) ** 2


def parts_of_noise(X, w_star, w, eta):
    v, n = w - w_star, len(X)
    g = n * (X @ v)[:, None] * X
    noise = eta**2 * (g**2).sum(1).mean()
    return v, noise, ((v - eta * g) ** 2).sum(1).mean()


def noise_floor(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield let("E|w' - w*|^2", start)
    yield eq("expanded", v @ v - 2 * eta * (X @ v) @ (X @ v) + noise, "the mean of the gradients")
    yield ge("", (1 - 2 * eta * norm(X) ** 2) * v @ v + noise, "operator norm")
    yield ge("eta^2 E|g|^2", noise, "eta is at most 1 / (2 |X^T X|)")


def noise_floor__upwards(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield let("eta^2 E|g|^2", noise)
    yield le("", (1 - 2 * eta * norm(X) ** 2) * v @ v + noise, "eta is small")
    yield le("E|w' - w*|^2", start, "operator norm")


def noise_floor__no_cross_term(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield let("E|w' - w*|^2", start)
    yield eq("expanded", v @ v + noise, "the mean of the gradients is 0")
    yield ge("eta^2 E|g|^2", noise, "a square")


def noise_floor__half_cross_term(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield let("E|w' - w*|^2", start)
    yield eq("expanded", v @ v - eta * (X @ v) @ (X @ v) + noise, "the mean of the gradients")
    yield ge("", (1 - 2 * eta * norm(X) ** 2) * v @ v + noise, "operator norm")
    yield ge("eta^2 E|g|^2", noise, "eta is small")


def noise_floor__gradient_of_mean(X, w_star, w, eta):
    v, _, start = parts_of_noise(X, w_star, w, eta)
    noise = eta**2 * ((X.T @ X @ v) ** 2).sum()
    yield let("E|w' - w*|^2", start)
    yield ge("", (1 - 2 * eta * norm(X) ** 2) * v @ v + noise, "operator norm")
    yield ge("eta^2 E|g|^2", noise, "eta is small")


def noise_floor__at_once(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield let("E|w' - w*|^2", start)
    yield ge("eta^2 E|g|^2", noise, "eta is small")


def noise_floor__no_let(X, w_star, w, eta):
    v, noise, start = parts_of_noise(X, w_star, w, eta)
    yield ge("", (1 - 2 * eta * norm(X) ** 2) * v @ v + noise, "operator norm")
    yield ge("eta^2 E|g|^2", noise, "eta is small")
    yield ge("eta^2 E|g|^2", noise, "eta is small")
