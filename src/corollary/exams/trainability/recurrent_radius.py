r"""Recurrent spectral radius.

Through :math:`T` steps of a recurrent layer a gradient is multiplied by the recurrent matrix
:math:`T` times. With spectral radius :math:`\rho` it scales like :math:`\rho^T` while the units
are not saturated: a memory of about :math:`-1/\ln\rho` steps below one, an explosion above. Gated
layers carry their memory past the matrix, and are only reported.

:source: Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural
    networks", Section 2; Perez Jensen (2025), Deep Learning, Chapter 5.
:kind: exam
:cost: instant
"""

import math
from collections.abc import Iterator

import torch
from torch import nn

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

TOO_LARGE = 1.5  # tanh units tame a radius slightly above one; at 1.5 twenty steps make 3000


class RecurrentRadius(Exam):
    """Eigenvalues of the recurrent weights."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """Each recurrent weight of the module."""
        layers = [
            (f"{n}.{key}".lstrip("."), m, p)
            for n, m in subject.model.named_modules()
            if isinstance(m, nn.RNNBase)
            for key, p in m.named_parameters(recurse=False)
            if key.startswith("weight_hh")
        ]
        if not layers:
            raise NotApplicableError("there is no nn.RNN, nn.LSTM or nn.GRU")
        for name, module, weight in layers:
            blocks = weight.detach().double().split(module.hidden_size)
            radius = max(float(torch.linalg.eigvals(block).abs().max()) for block in blocks)
            yield self._one(name, radius, plain=isinstance(module, nn.RNN))

    def _one(self, name: str, radius: float, *, plain: bool) -> Finding:
        explodes = plain and radius > TOO_LARGE
        if explodes:
            meaning = f"Gradients grow up to {radius:.2g} times with every step back in time."
        elif plain and 0 < radius < 1:
            meaning = f"The layer remembers about {-1 / math.log(radius):.2g} steps back."
        elif plain:
            meaning = "It is near enough to 1 for the units to tame it."
        else:
            meaning = "The gates decide what is remembered, so this number alone does no harm."
        return self.finding(
            "Too large a spectral radius" if explodes else "Spectral radius",
            severity=Severity.HIGH if explodes else Severity.NONE,
            remedy="fresh start",
            where=name,
            value=rounded(radius),
            expected=f"near 1, below {TOO_LARGE:g}" if plain else "",
            meaning=meaning,
            advice="Scale the recurrent weights to radius 1 (an orthogonal start), and clip "
            "gradients."
            if explodes
            else "",
        )
