r"""The perceptron: Rosenblatt's rule, its mistakes, and the two lemmas of its convergence.

Points are shown in a fixed cyclic order. Whenever :math:`y_i(\langle w, x_i\rangle + b) \le 0` the
rule sets :math:`w \leftarrow w + y_i x_i`, :math:`b \leftarrow b + y_i`; it stops after a pass
without a mistake. With :math:`z_i = y_i (x_i, 1)` the weights after t updates are
:math:`\sum_{s\le t} z_{i_s}`, so the sequence :math:`i_1, i_2, \dots` is the whole trajectory.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Algorithm 1; Rosenblatt (1958), "The
    perceptron: a probabilistic model for information storage and organization in the brain".
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend, compiled
from corollary.theory.connectionism.labelled import check_labelled, signed_points
from corollary.theory.connectionism.perceptron_kernel import compiled_jumps, torch_jumps

SOON = 1000  # mistakes after which a small problem is worth a compiled kernel


@dataclass(frozen=True)
class PerceptronFit:
    """Where the perceptron ended, and every mistake it made on the way."""

    w: Float[Tensor, " d"]
    b: float  # 0 without a bias
    converged: bool  # the last pass was free of mistakes
    epochs: int  # passes begun, the clean one included
    mistakes: Int[Tensor, " t"]  # the point of each update, in order
    shown: Int[Tensor, " t"]  # how many points had been shown at each update
    bias: bool

    @property
    def updates(self) -> int:
        """Number of mistakes, which is the number of updates."""
        return len(self.mistakes)

    def trajectory(self, x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"]) -> Float[Tensor, "s k"]:
        """The weights ``(w, b)`` (or ``w``) after 0, 1, ..., t updates; memory O(t d)."""
        z = signed_points(x, y, bias=self.bias)[self.mistakes.to(x.device)]
        return torch.cat([z.new_zeros(1, z.shape[1]), z.cumsum(dim=0)])


def perceptron_fit(
    x: Float[Tensor, "n d"],
    y: Shaped[Tensor, " n"],
    *,
    bias: bool = True,
    order: Int[Tensor, " n"] | None = None,
    max_updates: int = 1_000_000,
    max_epochs: int | None = None,
    backend: Backend = "auto",
) -> PerceptronFit:
    r"""Run the mistake-driven rule from :math:`w = 0, b = 0`.

    It ends iff the points are linearly separable; otherwise a limit is reached and ``converged``
    is False. Cost: O(n d) a pass, at most :math:`(R/\gamma)^2` updates on separable points.

    Args:
        x: Points.
        y: Labels, -1 or +1.
        bias: Whether to learn an offset (equivalently, to append a 1 to every point).
        order: The order in which each pass shows the points; as they stand if absent.
        max_updates: Stop after so many updates.
        max_epochs: Stop after so many passes.
        backend: ``numba`` or ``torch``; ``auto`` compiles what is large or does not end soon. All
            make the same mistakes.

    Example:
        >>> x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
        >>> fit = perceptron_fit(x, torch.tensor([-1.0, -1, -1, 1]))  # AND
        >>> fit.converged, fit.w.tolist(), fit.b
        (True, [3.0, 2.0], -4.0)

    :covers: perceptron-algorithm
    :source: Perez Jensen (2025), Deep Learning, Section 1.2, Algorithm 1.
    """
    z = signed_points(x.detach(), y, bias=bias)
    if order is not None:
        _check_order(order, len(z))
        order = order.to(z.device)
        z = z[order]
    _check_limit("max_updates", max_updates)
    passes = 2**62 if max_epochs is None else _check_limit("max_epochs", max_epochs)
    v, mistakes, shown, epochs, converged = _run(z, max_updates, passes, backend)
    if order is not None:
        mistakes = order.cpu()[mistakes]
    w, b = (v[:-1], float(v[-1])) if bias else (v, 0.0)
    return PerceptronFit(w.clone(), b, bool(converged), int(epochs), mistakes, shown, bias)


def mistake_count(
    x: Float[Tensor, "n d"],
    y: Shaped[Tensor, " n"],
    *,
    bias: bool = False,
    order: Int[Tensor, " n"] | None = None,
    max_updates: int = 1_000_000,
    backend: Backend = "auto",
) -> Int[Tensor, " shown"]:
    """Mistakes made so far, after 0, 1, 2, ... points were shown, up to the last mistake.

    Without a bias unless asked for: this is the count that Novikoff's theorem bounds.

    Example:
        >>> mistake_count(torch.eye(3, dtype=torch.float64), torch.ones(3)).tolist()
        [0, 1, 2, 3]
    """
    fit = perceptron_fit(x, y, bias=bias, order=order, max_updates=max_updates, backend=backend)
    last = int(fit.shown[-1]) if fit.updates else 0
    made = torch.zeros(last + 1, dtype=torch.int64)
    made[fit.shown] = 1
    return made.cumsum(dim=0)


def signed_distance(
    x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], w: Float[Tensor, " d"], b: float = 0.0
) -> Float[Tensor, " n"]:
    r"""Distance of each point to the hyperplane, positive on the side its label asks for.

    .. math:: \gamma[w, b](x, y) = y\,\frac{\langle w, x\rangle + b}{\|w\|}

    In Hesse's normal form :math:`\langle n, x\rangle - \delta = 0` with unit normal
    :math:`n = w/\|w\|` and offset :math:`\delta = -b/\|w\|`; it does not change under
    :math:`(w, b) \to (cw, cb)`, :math:`c > 0`.

    Example:
        >>> x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        >>> signed_distance(x, torch.tensor([1.0]), torch.tensor([0.0, 2.0]).double(), -2.0).item()
        3.0

    :covers: signed-distance-margin
    :source: Perez Jensen (2025), Deep Learning, Section 1.2.
    """
    check_labelled(x, y)
    length: Tensor = w.norm()
    if not bool(length > 0):
        raise InputError("a hyperplane needs a nonzero normal w, got w = 0")
    return y.to(x.dtype) * (x @ w + b) / length


def margin(
    x: Float[Tensor, "n d"], y: Shaped[Tensor, " n"], w: Float[Tensor, " d"], b: float = 0.0
) -> Float[Tensor, ""]:
    r"""The smallest signed distance: positive iff :math:`(w, b)` separates the points.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [0.0, 5.0]], dtype=torch.float64)
        >>> margin(x, torch.ones(2), torch.tensor([3.0, 4.0]).double()).item()
        0.6
    """
    return signed_distance(x, y, w, b).min()


def radius(x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    r"""Largest length :math:`R = \max_i \|x_i\|`.

    Example:
        >>> radius(torch.tensor([[3.0, 4.0], [1.0, 1.0]])).item()
        5.0
    """
    largest: Tensor = x.norm(dim=1).max()
    return largest


def is_unit(u: Float[Tensor, " d"]) -> bool:
    """Whether u has length 1, up to the rounding of its own squares.

    Example:
        >>> is_unit(torch.tensor([0.6, 0.8])), is_unit(torch.tensor([1.0, 1.0]))
        (True, False)
    """
    return bool((u.norm() - 1).abs() <= 4 * torch.finfo(u.dtype).eps * max(len(u), 4) ** 0.5)


def _run(
    z: Tensor, max_updates: int, passes: int, backend: Backend
) -> tuple[Tensor, Tensor, Tensor, int, bool]:
    """Jump first if that may be enough; compile for what is large or does not end soon."""
    if backend == "torch" or z.device.type != "cpu":
        return torch_jumps(z, max_updates, passes)
    if backend == "auto" and z.numel() < 2**17:
        ended = torch_jumps(z, min(max_updates, SOON), passes)
        if ended[-1] or len(ended[1]) < SOON or max_updates <= SOON:
            return ended
    kernel = compiled(compiled_jumps, backend)
    if kernel is None:
        return torch_jumps(z, max_updates, passes)
    v, mistakes, shown, epochs, converged = kernel(z.contiguous().numpy(), max_updates, passes)
    arrays = torch.from_numpy(v), torch.from_numpy(mistakes), torch.from_numpy(shown)
    return *arrays, int(epochs), bool(converged)


def _check_order(order: Tensor, n: int) -> None:
    if not torch.equal(order.sort().values.cpu(), torch.arange(n)):
        raise InputError(
            f"order must contain each of 0, ..., {n - 1} once; use torch.randperm({n})"
        )


def _check_limit(name: str, limit: int) -> int:
    if limit < 1:
        raise InputError(f"{name} must be at least 1, got {limit}")
    return int(limit)
