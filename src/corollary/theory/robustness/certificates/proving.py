r"""Proofs from the cheapest to the dearest, as far as time goes.

Each certificate is asked only for the samples that those before it left open: linear forms on
intervals, then CROWN, then chosen slopes, then branch and bound, which for small networks of ReLUs
ends in a proof or a counterexample for every sample.
"""

from collections import Counter
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from corollary.theory.prerequisites.wellformed import check_finite
from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.certificates.branching import decided
from corollary.theory.robustness.certificates.certifier import Certifier, Method
from corollary.theory.robustness.certificates.clock import now

NAMES = {
    "crown-ibp": "CROWN-IBP",
    "crown": "CROWN",
    "alpha-crown": "α-CROWN",
    "branching": "branch and bound",
}
CLIMBS = 12  # times the cost of CROWN that the first slopes may take


@dataclass(frozen=True)
class Proof:
    """What is known of each sample in its ball."""

    by: tuple[str, ...]  # the certificate that proved it, or ""
    broken: Bool[Tensor, " n"]  # a perturbation changes the class
    examples: Float[Tensor, "n *s"]  # it, where there is one

    def __repr__(self) -> str:
        proved, broken, left = (int(part.sum()) for part in (self.proved, self.broken, self.open))
        by = f", the hardest by {self.hardest}" if self.hardest else ""
        return f"{len(self.by)} inputs: {proved} proved{by}; {broken} broken, {left} open"

    @property
    def proved(self) -> Bool[Tensor, " n"]:
        """No perturbation changes the class."""
        return torch.tensor([bool(name) for name in self.by], device=self.broken.device)

    @property
    def open(self) -> Bool[Tensor, " n"]:
        """Neither."""
        return ~(self.proved | self.broken)

    @property
    def hardest(self) -> str:
        """The dearest certificate that proved anything, as it is called; empty if none did."""
        counts = Counter(self.by)
        return next((NAMES[m] for m in reversed(NAMES) if counts[m]), "")


def prove(
    model: nn.Module | Certifier,
    x: Float[Tensor, "n *s"],
    y: Int[Tensor, " n"] | Float[Tensor, " n"],
    eps: float | int | Float[Tensor, " n"],
    *,
    norm: Norm = "linf",
    box: Box = None,
    seconds: float | int = 10,
    attack: bool = True,
) -> Proof:
    """Prove, or break, as many samples as time allows.

    Args:
        model: The network, or its certifier.
        x: Inputs.
        y: Labels.
        eps: Radii of the balls.
        norm: ``linf`` or ``l2``; a certifier has its own.
        box: Valid inputs, None if every number is valid; a certifier has its own.
        seconds: About how long it may take; the first certificate is always tried.
        attack: Look for counterexamples by gradients too.

    Example:
        >>> net = torch.nn.Sequential(
        ...     torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)).double()
        >>> x = torch.tensor([[1.0, 2.0]]).double()
        >>> y = net(x).argmax(1)
        >>> prove(net, x, y, 1e-6).by
        ('crown-ibp',)
    """
    certifier = model if isinstance(model, Certifier) else Certifier(model, x, norm=norm, box=box)
    check_finite("x", x)
    until = now() + seconds
    radii = certifier.radii(x, eps)
    by = [""] * len(x)
    rows = torch.arange(len(x), device=x.device)
    methods: tuple[Method, ...] = ("crown-ibp", "crown")
    cost = 0.0
    for method in methods:
        if method == "crown":
            cost = certifier.trial_seconds(x[rows], y[rows], radii[rows], method)
            if now() + cost > until:
                break
        good = certifier.margins(x[rows], y[rows], radii[rows], method) > 0
        for i in rows[good].tolist():
            by[i] = method
        rows = rows[~good]
        if len(rows) == 0:
            break
    broken = torch.zeros(len(x), dtype=torch.bool, device=x.device)
    examples = x.clone()
    left = until - now()
    if len(rows) and cost * CLIMBS < left:
        found = decided(certifier, x[rows], y[rows], radii[rows], seconds=left, attack=attack)
        for i, good, split in zip(
            rows.tolist(), found.proved.tolist(), found.split.tolist(), strict=True
        ):
            by[i] = ("branching" if split else "alpha-crown") if good else ""
        broken[rows], examples[rows] = found.broken, found.examples
    return Proof(tuple(by), broken, examples)
