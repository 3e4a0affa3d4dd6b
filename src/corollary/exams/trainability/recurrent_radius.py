r"""Recurrent spectral radius.

Through :math:`T` steps of a recurrent layer a gradient is multiplied by the recurrent matrix
:math:`T` times. With spectral radius :math:`\rho` it scales like :math:`\rho^T` while the units are
not saturated: below one, the layer remembers about :math:`-1/\ln\rho` steps; above one, gradients
explode. Gated layers keep their memory in the gates, so their radius is reported but not judged.
The exam also measures how far back the last output depends on the inputs, by its derivative with
respect to the input of every step.

:source: Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural
    networks", Section 2; Perez Jensen (2025), Deep Learning, Chapter 5.
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import nn

from corollary.core import Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.memory import LONG, reach_of, slopes_in_time
from corollary.exams.readings import rounded

TOO_LARGE = 1.5  # tanh units tame a radius slightly above one; at 1.5 twenty steps make 3000

PART = 0.25  # of the sequence: a shorter memory loses most of it


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
        yield from self._memory(subject)
        for name, module, weight in layers:
            blocks = weight.detach().cpu().double().split(module.hidden_size)
            radius = max(float(torch.linalg.eigvals(block).abs().max()) for block in blocks)
            yield self._one(name, radius, plain=isinstance(module, nn.RNN))

    def _memory(self, subject: Subject) -> Iterator[Finding]:
        """Steps back at which the last output still depends on the input."""
        slopes = slopes_in_time(subject)
        if slopes is None or len(slopes) < LONG:
            return
        steps = len(slopes)
        reach = reach_of(slopes)
        short = reach < steps * PART
        yield self.finding(
            "The network forgets most of its sequence" if short else "Length of memory",
            severity=Severity.MEDIUM if short else Severity.NONE,
            remedy="gated layers",
            quantity="memory",
            value=rounded(reach),
            unit=f"of {steps} steps",
            expected=f"more than {PART * steps:.0f}, if the answer needs earlier steps",
            meaning=f"The last output depends a thousand times less on inputs more than {reach} "
            "steps back than on the input at the strongest step. So dependence on such "
            "early inputs is not learned."
            if short
            else "The last output depends on inputs up to this many steps back.",
            advice="Use an LSTM or GRU with a forget bias of 1, orthogonal recurrent "
            "weights, attention, or shorter sequences."
            if short
            else "",
        )

    def _one(self, name: str, radius: float, *, plain: bool) -> Finding:
        explodes = plain and radius > TOO_LARGE
        if explodes:
            meaning = (
                f"Gradients grow by a factor of up to {radius:.2g} with every step back in time."
            )
        elif plain and 0 < radius < 1:
            meaning = f"The layer remembers about {-1 / math.log(radius):.2g} steps back."
        elif plain:
            meaning = (
                "The spectral radius is so close to 1 that the activation keeps the state bounded."
            )
        else:
            meaning = "The gates control the memory, so this number alone shows no problem."
        return self.finding(
            "The spectral radius is too large" if explodes else "Spectral radius",
            severity=Severity.HIGH if explodes else Severity.NONE,
            remedy="fresh start",
            where=name,
            value=rounded(radius),
            expected=f"near 1, below {TOO_LARGE:g}" if plain else "",
            meaning=meaning,
            advice="Scale the recurrent weights to radius 1 (orthogonal initialisation), and "
            "clip gradients."
            if explodes
            else "",
        )
