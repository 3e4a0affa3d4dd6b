r"""The matrices of a network, their spectra, and what is made of the norms.

A dense weight is a matrix. A convolution has two: the *patch matrix*, from what one output place
sees to its channels, whose entries are independent at a random start; and the operator on whole
images. On a torus the Fourier transform takes the operator apart into one small matrix a frequency
(Sedghi, Gupta and Long), which have all its singular values. Slices of the kernel at single
positions are neither.

Of the eigenvalues :math:`\lambda` of :math:`WW^\top`: the stable rank
:math:`\sum\lambda/\lambda_{\max}`; the logarithms to base 10 of :math:`\sum\lambda` (log-norm), of
:math:`\lambda_{\max}` and of :math:`\sum\lambda^\alpha`; and
:math:`\hat\alpha=\alpha\log_{10}\lambda_{\max}`.

:source: Sedghi, Gupta and Long (2019), "The singular values of convolutional layers"; Martin, Peng
    and Mahoney (2021), "Predicting trends in the quality of state-of-the-art neural networks
    without access to training or testing data".
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import parametrize

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_no_nan

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_TURNED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)


@dataclass(frozen=True)
class WeightMatrix:
    """One weight of a network: its path, the module that has it, and its matrix."""

    name: str  # path of the module, with the parameter's name if that is not ``weight``
    module: nn.Module
    weight: Tensor
    frozen: bool  # no gradient is asked for

    def __repr__(self) -> str:
        out, into = self.rows.shape
        kind, frozen = type(self.module).__name__, ", frozen" if self.frozen else ""
        return f"weight '{self.name}' of a {kind}, {out} x {into}{frozen}"

    @property
    def rows(self) -> Float[Tensor, "out in"]:
        """Outputs by inputs; for a convolution the patch matrix."""
        weight = self.weight.detach()
        return (weight.transpose(0, 1) if isinstance(self.module, _TURNED) else weight).flatten(1)

    @property
    def matrix(self) -> Float[Tensor, "out in"]:
        """The rows in double precision."""
        return self.rows.cpu().double()


def layers_of(model: nn.Module) -> Iterator[WeightMatrix]:
    """Weights that multiply: matrices and kernels of real numbers, a shared one once.

    Embeddings are left out, since rows that no token asked for stay as they were drawn.

    Example:
        >>> net = nn.Sequential(nn.Linear(3, 4), nn.LSTM(4, 2))
        >>> [(layer.name, tuple(layer.matrix.shape)) for layer in layers_of(net)]
        [('0', (4, 3)), ('1.weight_ih_l0', (8, 4)), ('1.weight_hh_l0', (8, 2))]
    """
    seen: set[int] = set()
    for path, module in model.named_modules():
        if isinstance(module, nn.Embedding | nn.EmbeddingBag | parametrize.ParametrizationList):
            continue
        for name, weight, source in _weights(module):
            if id(source) in seen or weight.dim() < 2 or not weight.is_floating_point():
                continue
            seen.add(id(source))
            full = path if name == "weight" else f"{path}.{name}".strip(".")
            yield WeightMatrix(full, module, weight, not source.requires_grad)


def _weights(module: nn.Module) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Name, value and the parameter behind it; a parametrised weight has the value it acts with."""
    for name, parameter in module.named_parameters(recurse=False):
        yield name, parameter, parameter
    if parametrize.is_parametrized(module):
        parts = module.parametrizations
        assert isinstance(parts, nn.ModuleDict)
        for name, part in parts.items():
            with torch.no_grad():
                value = getattr(module, name)
            source = next(part.parameters(), value)
            if isinstance(value, Tensor):
                yield name, value, source


def eigenvalues(matrix: Float[Tensor, "p n"]) -> Float[Tensor, " m"]:
    """Of the smaller of W Wᵀ and Wᵀ W, ascending; O(m² max(p, n)).

    Squares are formed first, which is a few times faster than singular values and right to rounding
    of the largest one.

    Example:
        >>> eigenvalues(torch.tensor([[3.0, 4.0]])).tolist()
        [25.0]
    """
    if matrix.dim() != 2 or matrix.numel() == 0:
        raise InputError(f"a matrix with entries is needed, got shape {matrix.shape}")
    w = matrix.cpu().double()
    gram = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    values: Tensor = torch.linalg.eigvalsh(gram)
    return values.clamp(min=0)


def convolution_eigenvalues(
    kernel: Float[Tensor, "out in *k"],
    torus: Sequence[int] | None = None,
    *,
    groups: int = 1,
    distinct: bool = False,
) -> Float[Tensor, " m"]:
    """Squared singular values of a convolution of stride 1 on a torus, ascending.

    Args:
        kernel: Weight of a convolution of any number of axes.
        torus: Places along each axis; None takes the kernel's own size, on which there are as many
            singular values as the kernel has freedom.
        groups: Groups of channels that do not see each other.
        distinct: A frequency and its negative have the same values; whether to give them once.

    Costs a small eigenvalue problem for half of the places of the torus.

    Example:
        >>> shift = torch.zeros(1, 1, 3)
        >>> shift[0, 0, 2] = 2.0  # a shift times 2: all singular values are 2
        >>> [round(v, 9) for v in convolution_eigenvalues(shift, [5]).tolist()]
        [4.0, 4.0, 4.0, 4.0, 4.0]
    """
    places = [*kernel.shape[2:]] if torus is None else [*torus]
    if any(t < k for t, k in zip(places, kernel.shape[2:], strict=True)) or not places:
        raise InputError(
            f"the torus must be at least as large as the kernel {tuple(kernel.shape[2:])}, "
            f"got {tuple(places)}"
        )
    axes = tuple(range(2, 2 + len(places)))
    own, times = _half(places)
    found = []
    for part in kernel.cpu().double().chunk(groups, 0):
        spectrum = torch.fft.fftn(part, s=places, dim=axes).flatten(2)[:, :, own].permute(2, 0, 1)
        if spectrum.shape[1] > spectrum.shape[2]:
            spectrum = spectrum.mT
        values = torch.linalg.eigvalsh(spectrum @ spectrum.mH)
        found.append((values if distinct else values.repeat_interleave(times, 0)).flatten())
    return torch.cat(found).clamp(min=0).sort().values


def _half(places: Sequence[int]) -> tuple[Tensor, Tensor]:
    """One frequency of each pair of a frequency and its negative, and how many it stands for."""
    flat = torch.arange(math.prod(places)).reshape(*places)
    negative = flat
    for axis, t in enumerate(places):
        negative = negative.index_select(axis, -torch.arange(t) % t)
    own = (flat <= negative).flatten().nonzero()[:, 0]
    return own, 1 + (negative.flatten()[own] != own).long()


def stable_rank(values: Float[Tensor, " m"]) -> float:
    """The sum of the eigenvalues over the largest: 1 for rank one, m if all are equal.

    Example:
        >>> stable_rank(torch.tensor([1.0, 1.0, 2.0]))
        2.0
    """
    largest = float(values.max())
    return 0.0 if largest <= 0 else float(values.sum()) / largest


@dataclass(frozen=True)
class LogNorms:
    """Logarithms to base 10."""

    frobenius: float  # of the sum of the eigenvalues
    spectral: float  # of the largest
    alpha: float  # of the sum of their powers alpha
    weighted_alpha: float  # alpha times the spectral one

    def __repr__(self) -> str:
        return (
            f"log10 norms: Frobenius {self.frobenius:.4g}, spectral {self.spectral:.4g}, alpha "
            f"{self.alpha:.4g}, weighted alpha {self.weighted_alpha:.4g}"
        )


def log_norms(values: Float[Tensor, " m"], alpha: float) -> LogNorms:
    """The logarithms that rank networks in practice; an observation, not a theorem.

    Example:
        >>> log_norms(torch.tensor([10.0, 90.0]).double(), 1.0).frobenius
        2.0
    """
    check_no_nan("values", values)
    logs = values[values > 0].cpu().double().log()
    if len(logs) == 0:
        raise InputError("at least one positive eigenvalue is needed")
    ten = math.log(10)
    spectral = float(logs.max()) / ten
    total, powers = (float(torch.logsumexp(a * logs, 0)) / ten for a in (1.0, alpha))
    return LogNorms(total, spectral, powers, alpha * spectral)
