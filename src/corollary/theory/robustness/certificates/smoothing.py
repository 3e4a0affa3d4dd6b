r"""Randomised smoothing: a classifier with a certificate out of any classifier.

The smoothed classifier says what the base classifier says most often under normal noise,
:math:`g(x)=\arg\max_c\mathbb P(f(x+\xi)=c)`, :math:`\xi\sim\mathcal N(0,\sigma^2I)`. If the class c
has probability at least :math:`p>1/2` there, g says c within the Euclidean radius
:math:`\sigma\,\Phi^{-1}(p)`, and no larger radius holds for all classifiers. The probability is
bounded from below by draws, with the exact binomial limit of Clopper and Pearson, so the radius
holds with probability at least :math:`1-\alpha` over the draws: for g, not for f.

:source: Cohen, Rosenfeld and Kolter (2019), "Certified adversarial robustness via randomized
    smoothing", Theorem 1 and the algorithms of Section 3.2.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.confidence.binomial import lower_limit
from corollary.theory.prerequisites.wellformed import check_no_nan
from corollary.theory.robustness.attack import Model, borrowed, outputs
from corollary.theory.seeding import as_generator
from corollary.theory.wording import span

ROWS = 1024  # noisy inputs of one call of the model: more do not fit the processor's cache
ABSTAIN = -1


class Certified(NamedTuple):
    """What the smoothed classifier says, with the radii; ``ABSTAIN`` (-1) where it cannot tell."""

    label: Int[Tensor, " n"]
    radius: Float[Tensor, " n"]  # 0 where it abstains
    probability: Float[Tensor, " n"]  # lower limit for the label's probability under noise

    def __repr__(self) -> str:
        sure = self.label != ABSTAIN
        return (
            f"{len(self.label)} inputs: {int(sure.sum())} certified, radii "
            f"{span(self.radius[sure])}; "
            f"{int((~sure).sum())} abstained"
        )


@dataclass(frozen=True)
class Smoothed:
    """The smoothed version of a classifier with logits (n, k), or one score per row.

    Args:
        sigma: Standard deviation of the noise.
        draws: Noisy inputs for each sample.
        first: Of other draws that only choose the class.
        alpha: Probability that a certificate is wrong.

    Raises:
        InputError: if no outcome of so few draws could certify anything.

    Example:
        >>> smoothed = Smoothed(0.25, draws=1000, alpha=0.001)
        >>> round(smoothed.largest_radius, 3)
        0.616
        >>> net = torch.nn.Linear(1, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = net.weight.copy_(torch.tensor([[0.0], [1.0]]))
        >>> found = smoothed.certify(net, torch.tensor([[9.0]]), rng=torch.Generator())
        >>> found.label.item(), round(found.radius.item(), 3)  # far from 0, noise changes nothing
        (1, 0.616)
    """

    sigma: float | int
    _: KW_ONLY
    draws: int = 1000
    first: int = 100
    alpha: float = 0.001

    def __post_init__(self) -> None:
        if not self.sigma > 0:
            raise InputError(f"sigma, the size of the noise, must be positive, got {self.sigma}")
        if not 0 < self.alpha < 1 or self.draws < 1 or self.first < 1:
            raise InputError("alpha must lie between 0 and 1, and draws must be at least 1")
        if self.alpha ** (1 / self.draws) <= 0.5:
            raise InputError(
                f"{self.draws} draws cannot certify anything at alpha = {self.alpha:g}: even "
                f"if all draws agree, the proved probability is only {self._best():.3g}, and "
                f"it must exceed 1/2; use at least {self._fewest()} draws"
            )

    @property
    def largest_radius(self) -> float:
        """The radius if every draw agrees: no run can give more."""
        return float(self.sigma * torch.special.ndtri(torch.tensor(self._best()).double()))

    def certify(
        self, model: Model, x: Float[Tensor, "n *s"], *, rng: int | Generator = 0
    ) -> Certified:
        """Label and radius of each sample; every radius is right with probability 1 - alpha."""
        rng = as_generator(rng, x.device)
        with borrowed(model) as f:
            label = self._counts(f, x, self.first, rng).argmax(1)
            hits = self._counts(f, x, self.draws, rng)
        if hits.shape[1] <= int(label.max()):
            hits = torch.nn.functional.pad(hits, (0, int(label.max()) + 1 - hits.shape[1]))
        said = hits.gather(1, label[:, None])[:, 0]
        limit = torch.from_numpy(lower_limit(said.numpy(), self.draws, self.alpha))
        sure = limit > 0.5
        radius = self.sigma * torch.special.ndtri(limit.clamp(0.5, 1.0))
        return Certified(
            torch.where(sure, label, ABSTAIN), torch.where(sure, radius, 0.0).to(x.dtype), limit
        )

    def predict(
        self, model: Model, x: Float[Tensor, "n *s"], *, rng: int | Generator = 0
    ) -> Int[Tensor, " n"]:
        """The smoothed class, or ``ABSTAIN``; wrong with probability at most alpha.

        Raises:
            InputError: if even unanimous draws would have to abstain.
        """
        if 2.0 ** (1 - self.draws) > self.alpha:
            raise InputError(
                f"{self.draws} draws always abstain at alpha = {self.alpha:g}: the two-sided test "
                f"of {self.draws} equal draws has the level {2.0 ** (1 - self.draws):.2g}"
            )
        from scipy.special import bdtr

        with borrowed(model) as f:
            counts = self._counts(f, x, self.draws, as_generator(rng, x.device))
        if counts.shape[1] == 1:
            return torch.zeros(len(x), dtype=torch.int64)
        (most, second), order = (t.unbind(1) for t in counts.topk(2, dim=1))
        level = torch.as_tensor(2 * bdtr(second.numpy(), (most + second).numpy(), 0.5))
        return torch.where(level <= self.alpha, order[0], ABSTAIN)

    def _counts(self, f: Model, x: Tensor, draws: int, rng: Generator) -> Int[Tensor, "n k"]:
        """How often each class is said under noise."""
        rows = max(1, ROWS // len(x))
        total = torch.zeros(len(x), 1, dtype=torch.int64)
        for k in range(0, draws, rows):
            r = min(rows, draws - k)
            noisy = torch.randn(r, *x.shape, generator=rng, device=rng.device, dtype=x.dtype)
            noisy = noisy.mul_(self.sigma).add_(x)
            out = outputs(f, noisy.flatten(0, 1))
            said = classes(out).view(r, len(x))
            width = max(total.shape[1], 2 if out.dim() == 1 or out.shape[1] == 1 else out.shape[1])
            total = torch.nn.functional.pad(total, (0, width - total.shape[1]))
            total.scatter_add_(1, said.T.cpu(), torch.ones_like(said.T).cpu())
        return total

    def _best(self) -> float:
        share: float = self.alpha ** (1 / self.draws)
        return share

    def _fewest(self) -> int:
        n = 1
        while self.alpha ** (1 / n) <= 0.5:
            n += 1
        return n


def classes(out: Float[Tensor, "n *k"]) -> Int[Tensor, " n"]:
    """The class of each row; for one score, 1 if it is positive and 0 if not.

    Example:
        >>> classes(torch.tensor([0.3, -2.0])).tolist()
        [1, 0]
    """
    check_no_nan("the outputs of the model", out)
    if out.dim() == 1 or out.shape[1] == 1:
        return (out.reshape(-1) > 0).long()
    return out.argmax(1)
