r"""Independent errors are orthogonal on average; and some draw is as good as the mean.

:source: Lucchi (2025), Foundations of Deep Learning, Lemma 28; Pisier (1981), "Remarques sur un
    résultat non publié de B. Maurey".
:supplied: The notes leave the proof of Lemma 28 to the exercises.
"""

from corollary.claims.approximation.maurey_lemma import Given
from corollary.core import Proof, eq, le, let


def proof(given: Given) -> Proof:
    V, p, drawn = given
    X, k = p @ V, drawn.shape[1]
    off = V - X
    errors = (off[drawn].mean(1)).square().sum(1)
    yield let(r"\mathbb E\|X-\tfrac1k\sum_iV_i\|^2", errors.mean())
    spread = p @ off.square().sum(1)
    single = k * spread / k**2
    by = "independent: mixed terms 𝔼⟨V_i − X, V_j − X⟩ are 0; over 2,000 draws"
    yield eq(r"\tfrac1{k^2}\sum_i\mathbb E\|V_i-X\|^2", single, by, within=0.08)
    yield eq(r"\tfrac1k\mathbb E\|V-X\|^2", spread / k, "all have one law")
    square = p @ V.square().sum(1)
    tex = r"\tfrac1k(\mathbb E\|V\|^2 - \|X\|^2)"
    yield eq(tex, (square - X.square().sum()) / k, "expanded, with 𝔼V = X")
    yield le(r"\tfrac1k\mathbb E\|V\|^2", square / k, "a square is not negative")
    yield le(r"\tfrac1k\sup\|U\|^2", V.square().sum(1).max() / k, "a mean is below the largest")
    yield "A random number is at most its mean with positive probability, so some choice is:"
    yield let(r"\min_U\|X-\tfrac1k\sum_iU_i\|^2", errors.min())
    yield le(r"\mathbb E\|X-\tfrac1k\sum_iV_i\|^2", errors.mean(), "the least of 2,000", loose=6.0)
