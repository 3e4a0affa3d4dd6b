r"""Gradients of the loss at labels that the model itself draws.

For a loss that is a negative log-likelihood of natural parameters, the gradients at labels
:math:`y \sim p(\cdot \mid f)` have mean zero and the loss's Hessian as second moment:

.. math:: \mathbb{E}\, \nabla_f \ell(f, y)\, \nabla_f \ell(f, y)^\top = \nabla_f^2\, \ell(f).

A loss that averages T terms in an example (positions, or coordinates of squared loss) has
:math:`1/T` of the Hessian, so its gradients are multiplied by :math:`T^{-1/2}`, not by
:math:`T^{-1}`.

:source: Martens and Grosse (2015), "Optimizing neural networks with Kronecker-factored
    approximate curvature", Section 5.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from corollary.errors import NotApplicableError
from corollary.theory.landscape.curvature.batches import Batch
from corollary.theory.landscape.curvature.fisher import example_losses
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.loss_roots import check_additive


def drawn_slopes(
    landscape: Landscape, z: Tensor, batch: Batch, *, samples: int, rng: Generator
) -> list[Tensor]:
    r"""``samples`` tensors :math:`s` shaped like z whose :math:`\sum s s^\top` is unbiased.

    Example:
        >>> model = torch.nn.Linear(1, 2)
        >>> data = torch.ones(1, 1), torch.zeros(1, dtype=torch.long)
        >>> landscape = Landscape(model, torch.nn.CrossEntropyLoss(), data)
        >>> (batch,) = landscape.batches()
        >>> rng = torch.Generator().manual_seed(0)
        >>> (s,) = drawn_slopes(landscape, torch.zeros(1, 2), batch, samples=1, rng=rng)
        >>> s.abs().tolist()  # (1/2, 1/2) minus one of the unit vectors
        [[0.5, 0.5]]
    """
    draw = _drawing(landscape, batch)
    with torch.no_grad():
        check_additive(landscape, example_losses(landscape, z, batch), z, batch)
        return [draw(z, rng) / samples**0.5 for _ in range(samples)]


def _drawing(landscape: Landscape, batch: Batch) -> Callable[[Tensor, Generator], Tensor]:
    """The law of the gradients, for a loss that is known."""
    loss = landscape.criterion
    mean = landscape.reduction == "mean"
    _refuse_weights(loss)
    if isinstance(loss, nn.MSELoss) or loss is F.mse_loss:
        return lambda z, rng: _share(z[0].numel(), mean) * 2**0.5 * _like(torch.randn, z, rng)
    if isinstance(loss, nn.BCEWithLogitsLoss) or loss is F.binary_cross_entropy_with_logits:
        return lambda z, rng: _share(z[0].numel(), mean) * _logistic(z, rng)
    if isinstance(loss, nn.CrossEntropyLoss) or loss is F.cross_entropy:
        _refuse_ignored(getattr(loss, "ignore_index", -100), batch.target)
        return lambda z, rng: _share(z[0, 0].numel(), mean) * _categorical(z, rng)
    name = getattr(loss, "__name__", type(loss).__name__)
    raise NotApplicableError(
        "labels can be drawn for cross-entropy, logistic loss with logits and squared error, "
        f"got the loss {name}; use kind='gauss_newton', which needs no labels"
    )


def _share(count: int, mean: bool) -> float:
    return count**-0.5 if mean else 1.0


def _like(draw: Callable[..., Tensor], z: Tensor, rng: Generator) -> Tensor:
    return draw(z.shape, generator=rng, device=rng.device, dtype=z.dtype).to(z.device)


def _logistic(z: Tensor, rng: Generator) -> Tensor:
    p = z.sigmoid()
    return p - (_like(torch.rand, z, rng) < p).to(p)


def _categorical(z: Tensor, rng: Generator) -> Tensor:
    """Probabilities minus a drawn unit vector: the largest of log p plus Gumbel noise."""
    noise = -_like(torch.rand, z, rng).clamp_min(torch.finfo(z.dtype).tiny).log()
    y = (z - noise.log()).argmax(1)
    return z.softmax(1) - F.one_hot(y, z.shape[1]).movedim(-1, 1).to(z)


def _refuse_weights(loss: object) -> None:
    for name in ("weight", "pos_weight"):
        if getattr(loss, name, None) is not None:
            raise NotApplicableError(
                f"labels are drawn from the model, but the loss has {name}=, so it is not a "
                "likelihood; use kind='gauss_newton' or 'empirical'"
            )


def _refuse_ignored(ignored: int, target: tuple[Tensor, ...]) -> None:
    hard = [t for t in target if not t.is_floating_point()]
    if any(bool((t == ignored).any()) for t in hard):
        raise NotApplicableError(
            f"labels are drawn for every position, but some targets are ignored ({ignored}); use "
            "kind='gauss_newton'"
        )
    soft = [t for t in target if t.is_floating_point()]
    if any(bool(((t.sum(1) - 1).abs() > 1e-4).any()) for t in soft):
        raise NotApplicableError(
            "labels are drawn from the model, but some targets are probabilities that do not sum "
            "to 1; use kind='gauss_newton'"
        )
