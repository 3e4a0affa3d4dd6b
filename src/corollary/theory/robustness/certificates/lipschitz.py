r"""A Lipschitz constant from the norms of the layers, and the radii it certifies.

If f is L-Lipschitz in the Euclidean norm, a margin :math:`f_y-f_j` with gradient at most
:math:`L_j` cannot vanish within :math:`\min_j(f_y-f_j)/L_j`. The constant of a chain is at most the
product of those of its links; shortcuts add up. It knows nothing of the input, costs nothing more
for each, and is loose for deep networks.

Constants are rounded up, and margins are bounds at radius 0, which pay for the rounding of the
outputs; so radii hold for the network in real numbers. (As it is computed, a margin of the size of
the rounding at the edge of the ball may have either sign; :class:`Certifier` covers that too.)

:source: Szegedy et al. (2014), "Intriguing properties of neural networks", Section 4.3; Tsuzuku,
    Sato and Sugiyama (2018), "Lipschitz-margin training", Proposition 1.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.theory.precision import wide
from corollary.theory.robustness.attack import check_inputs
from corollary.theory.robustness.certificates import nonlinear_steps as nonlinear
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.operator_norms import (
    ROUNDING,
    convolution_norm,
    matrix_norm,
)
from corollary.theory.robustness.certificates.rounding import gamma
from corollary.theory.robustness.certificates.steps import Linear, Scaled, Step, Sum
from corollary.theory.robustness.certificates.weighted import (
    Convolution,
    Dense,
    TransposedConvolution,
)

STEEP = 1e6  # no activation that is of use is steeper


@dataclass(frozen=True)
class LipschitzCertificate:
    """Constants of the margins; build it with :func:`lipschitz_certificate`."""

    certifier: Certifier
    constant: float  # of the outputs together
    pairs: Float[Tensor, "k k"] | None  # of each difference of outputs; None for one score

    def __repr__(self) -> str:
        return f"Lipschitz constant at most {self.constant:.4g} in the Euclidean norm"

    def radius(
        self, x: Float[Tensor, "n *s"], y: Int[Tensor, " n"] | Float[Tensor, " n"]
    ) -> Float[Tensor, " n"]:
        """The Euclidean radius within which no class overtakes the label; 0 for a wrong answer."""
        check_inputs(x, y, None)
        with torch.no_grad():
            gaps = wide(self.certifier.gaps(x, y))  # (n, k - 1), in the order of the classes
        if self.pairs is None:
            slopes = torch.full_like(gaps, self.constant)
        else:
            k = len(self.pairs)
            y = y.to(gaps.device)
            others = torch.arange(k - 1, device=y.device).expand(len(y), k - 1)
            others = others + (others >= y[:, None])
            slopes = self.pairs.to(gaps)[y].gather(1, others)
        found = (gaps / slopes).amin(1).clamp_min(0.0)
        return (found * (1 - 4 * torch.finfo(x.dtype).eps)).to(x)  # rounded down


def lipschitz_certificate(certifier: Certifier) -> LipschitzCertificate:
    """The product bound for the module of a certifier.

    Example:
        >>> net = torch.nn.Linear(2, 2, bias=False)
        >>> with torch.no_grad():
        ...     _ = net.weight.copy_(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
        >>> found = lipschitz_certificate(Certifier(net, torch.zeros(1, 2)))
        >>> round(found.constant, 6)
        4.0
        >>> round(found.radius(torch.tensor([[1.0, 0.0]]), torch.tensor([0])).item(), 4)  # 3 / 5
        0.6
    """
    tape, steps = certifier.tape, certifier.steps
    known = [1.0]
    for step in steps:
        shapes = [tape.value_shape(i) for i in step.inputs]
        known.append(_constant(step, [known[i] for i in step.inputs], shapes))
    end = tape.output
    if end and isinstance(steps[end - 1], nonlinear.LogSoftmax):
        end = steps[end - 1].inputs[0]  # differences of its outputs are those of its inputs
    shape = tape.value_shape(end)
    if shape in ((), (1,)):
        return LipschitzCertificate(certifier, known[end], None)
    last = steps[end - 1] if end else None
    if isinstance(last, Dense):
        w = last.weight.cpu().double()
        pairs = torch.cdist(w, w, compute_mode="donot_use_mm_for_euclid_dist")
        pairs = pairs * known[last.inputs[0]] * (1 + ROUNDING)
    else:
        pairs = torch.full((shape[0], shape[0]), math.sqrt(2) * known[end], dtype=torch.float64)
    return LipschitzCertificate(certifier, known[end], pairs)


def _constant(step: Step, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    for kind, rule in RULES:
        if isinstance(step, kind):
            return rule(step, inputs, shapes) * (1 + ROUNDING)  # sums and products of doubles
    raise step.call.refusal("has no known Lipschitz constant")


def _linear(step: Linear, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    """Weights >= 0: Schur's test with the sums of rows and columns."""
    ones = [torch.ones(1, *s, dtype=torch.float64, requires_grad=True) for s in shapes]
    call = step.call
    with torch.enable_grad():
        out = call(*ones)
        columns = torch.autograd.grad(out.sum(), ones, allow_unused=True)
    rows = (out - call(*[torch.zeros_like(o) for o in ones])).detach().abs().amax()
    norms = [0.0 if c is None else float((rows * c.abs().amax()).sqrt()) for c in columns]
    if call.op in ("cat", "stack"):  # the parts do not overlap
        return math.hypot(*(k * n for k, n in zip(inputs, norms, strict=True)))
    return sum(k * n for k, n in zip(inputs, norms, strict=True))


def _scaled(step: Scaled, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    repeats = math.prod(step.call.shape) / max(1, math.prod(shapes[0]))
    rounded = 1 + gamma(16, step.scale.dtype)  # the factor itself is a result
    return inputs[0] * float(step.scale.abs().max()) * rounded * math.sqrt(repeats)


def _sum(step: Sum, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    size = math.prod(step.call.shape)
    repeats = [math.sqrt(size / max(1, math.prod(s))) for s in shapes]
    parts = zip(inputs, step.factors, repeats, strict=True)
    return sum(k * abs(f) * r for k, f, r in parts)


def _dense(step: Dense, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    return inputs[0] * matrix_norm(step.weight)


def _convolution(
    step: Convolution, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    return inputs[0] * convolution_norm(step.weight, shapes[0][1:], **step.options)


def _transposed(
    step: TransposedConvolution, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    options = {k: v for k, v in step.options.items() if k != "output_padding"}
    return inputs[0] * convolution_norm(step.weight, step.call.shape[1:], **options)


def _curved(
    step: nonlinear.Curved, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    slope = step.curve.steepest()
    if slope > STEEP:
        raise step.call.refusal("can be arbitrarily steep")
    return inputs[0] * slope


def _kinked(
    step: nonlinear.Kinked, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    return inputs[0] * max(1.0, float(step.a.abs().max()))


def _same(step: Step, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]) -> float:
    return inputs[0]


def _log_softmax(
    step: nonlinear.LogSoftmax, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    """The identity less a matrix of k equal rows of length at most 1."""
    k = (1, *shapes[0])[step.call.option(1, "dim", -1)]
    return inputs[0] * (1 + math.sqrt(k))


def _pool(
    step: nonlinear.MaxPool, inputs: Sequence[float], shapes: Sequence[tuple[int, ...]]
) -> float:
    """An entry is in at most so many windows."""
    kernel, stride, dilation = (step.options[k] for k in ("kernel_size", "stride", "dilation"))
    counts = zip(kernel, stride, dilation, strict=True)
    windows = math.prod(math.ceil(k / s) if d == 1 else k for k, s, d in counts)
    return inputs[0] * math.sqrt(windows)


Rule = Callable[..., float]
RULES: tuple[tuple[type[Step], Rule], ...] = (
    (Linear, _linear),
    (Scaled, _scaled),
    (Sum, _sum),
    (Dense, _dense),
    (Convolution, _convolution),
    (TransposedConvolution, _transposed),
    (nonlinear.Curved, _curved),
    (nonlinear.Clipped, _same),
    (nonlinear.Kinked, _kinked),
    (nonlinear.MaxPool, _pool),
    (nonlinear.Softmax, _same),
    (nonlinear.LogSoftmax, _log_softmax),
)
