r"""The two lemmas behind Novikoff's bound, checked along a trajectory.

For a unit vector :math:`u` with :math:`y_i\langle u, x_i\rangle \ge \gamma` each update moves the
weights by at least :math:`\gamma` along :math:`u`; and since an update is made only where
:math:`y_i\langle w, x_i\rangle \le 0`, it adds at most :math:`R^2` to the squared length:

.. math:: \langle u, w_t\rangle \ge t\gamma, \qquad \|w_t\| \le R\sqrt t.

Together :math:`t\gamma \le R\sqrt t`, which is the bound :math:`t \le (R/\gamma)^2`.

:source: Perez Jensen (2025), Deep Learning, Section 1.2, Lemmas 1.1 and 1.2.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.perceptron import is_unit


@dataclass(frozen=True)
class TrajectoryCertificates:
    """How much room each lemma leaves after 0, 1, ..., t updates."""

    alignment: Float[Tensor, " s"]  # <u, w_t> - t gamma
    norm: Float[Tensor, " s"]  # R sqrt(t) - |w_t|
    rounding: float  # what additions of this size may lose

    @property
    def hold(self) -> bool:
        """Whether both lemmas hold at every update, up to rounding."""
        return bool(torch.minimum(self.alignment, self.norm).min() >= -self.rounding)


def perceptron_trajectory_certificates(
    trajectory: Float[Tensor, "s d"], u: Float[Tensor, " d"], gamma: float, radius: float
) -> TrajectoryCertificates:
    """The slack of the alignment lemma and of the norm lemma at every update.

    Args:
        trajectory: Weights after 0, 1, 2, ... updates, starting at zero
            (:meth:`~corollary.theory.connectionism.perceptron.PerceptronFit.trajectory`).
        u: A unit vector.
        gamma: The margin with which u separates the points.
        radius: The largest length of a point.

    Example:
        >>> path = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]).double()  # e1, then e2
        >>> u = torch.tensor([0.6, 0.8], dtype=torch.float64)
        >>> slack = perceptron_trajectory_certificates(path, u, gamma=0.6, radius=1.0)
        >>> [round(v, 3) for v in slack.alignment.tolist()], slack.norm.tolist()
        ([0.0, 0.0, 0.2], [0.0, 0.0, 0.0])

    :covers: perceptron-alignment-lemma, perceptron-norm-lemma
    :test: tests/theory/connectionism/test_perceptron.py
    """
    if not is_unit(u):
        raise InputError(f"u must have length 1, but its length is {u.norm().item()!r}")
    if not bool((trajectory[0] == 0).all()):
        raise InputError("the trajectory must start at zero weights, as the lemmas suppose")
    t = torch.arange(len(trajectory), device=trajectory.device, dtype=trajectory.dtype)
    rounding = 8 * torch.finfo(trajectory.dtype).eps * len(t) * max(radius, 1e-300)
    alignment = trajectory @ u - t * gamma
    return TrajectoryCertificates(alignment, radius * t.sqrt() - trajectory.norm(dim=1), rounding)
