"""One small step of training, after which weights that start at zero on purpose are not zero."""

import torch

from corollary.core import Subject

LENGTH = 1e-3  # of each parameter's size
USUAL = 0.03  # root mean square of weights with a fan-in of a thousand: what a zero will grow to


def small_step(subject: Subject, n: int) -> None:
    """Move every parameter a thousandth of its size against its gradient, in place.

    To be called inside ``subject.borrowed()``. After this step, a head, a gate or a branch that
    starts at zero lets signals through.
    """
    parameters = list(subject.parameters().values())
    loss = subject.loss(subject.labelled(n))
    if not loss.requires_grad:
        return
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)
    with torch.no_grad():
        for p, g in zip(parameters, gradients, strict=True):
            size, length = max(float(p.norm()), USUAL * p.numel() ** 0.5), float(g.norm())
            if length > 0:
                p.sub_(LENGTH * size / length * g)
