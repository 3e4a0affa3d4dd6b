r"""The cross term has mean zero.

:source: Lucchi (2025), Foundations of Deep Learning, proof of Theorem 80, second part.
"""

from torch import Tensor

from corollary.claims.double_descent.bias_variance import BiasVariance, Given
from corollary.core import Proof, eq, let


def proof(claim: BiasVariance, given: Given) -> Proof:
    w, Sigma = claim._estimates(given), given.phi.T @ given.phi / 3
    mean, star = w.mean(0), given.w_star

    def form(a: Tensor, b: Tensor) -> Tensor:
        return (a @ Sigma * b).sum(-1)

    yield "Over all training sets and all test points:"
    yield let(r"\mathbb E R(\bar w) - \sigma^2", claim.measure(given))
    by = "the labels are planted"
    yield eq(r"\mathbb E\|\bar w-w_*\|_\Sigma^2", form(w - star, w - star).mean(), by)
    cross = 2 * form(w - mean, (mean - star).expand_as(w)).mean()
    parts = form(w - mean, w - mean).mean() + cross + form(mean - star, mean - star)
    tex = (
        r"\mathbb E\|\bar w-\mathbb E\bar w\|_\Sigma^2 + 2\,\mathbb E\langle\bar w-\mathbb E\bar w,"
    )
    tex += r"\mathbb E\bar w-w_*\rangle_\Sigma + \|\mathbb E\bar w-w_*\|_\Sigma^2"
    yield eq(tex, parts, "𝔼w̄ is added and taken away")
    sides = form(w - mean, w - mean).mean() + form(mean - star, mean - star)
    tex = r"\mathbb E\|\bar w-\mathbb E\bar w\|_\Sigma^2 + \|\mathbb E\bar w-w_*\|_\Sigma^2"
    yield eq(tex, sides, "w̄ − 𝔼w̄ has mean 0")


def as_printed(claim: BiasVariance, given: Given) -> Proof:
    """The first line of the printed decomposition has the variance in place of the excess risk."""
    w, Sigma = claim._estimates(given), given.phi.T @ given.phi / 3
    off = w - w.mean(0)
    yield let(r"\mathbb E R(\bar w) - \sigma^2", claim.measure(given))
    variance = (off @ Sigma * off).sum(1).mean()
    yield eq(r"\mathbb E\|\bar w-\mathbb E\bar w\|_\Sigma^2", variance, "as printed", wrong=True)
