r"""Recurrent spectral radius.

Through :math:`T` steps of a recurrent layer a gradient is multiplied by the recurrent matrix
:math:`T` times. With spectral radius :math:`\rho` it scales like :math:`\rho^T` while the units
are not saturated: a memory of about :math:`-1/\ln\rho` steps below one, an explosion above. Gated
layers carry their memory past the matrix, and are only reported. How far the last output of the
network looks back is measured beside it, by its derivative in the input of every step.

:source: Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural
    networks", Section 2; Perez Jensen (2025), Deep Learning, Chapter 5.
:kind: exam
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Batch, Budget, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import rounded

TOO_LARGE = 1.5  # tanh units tame a radius slightly above one; at 1.5 twenty steps make 3000


SAMPLES = 16
LONG = 20  # steps; of shorter sequences the memory is no question
# A slope of a thousandth of the largest is what a step of training sees as nothing; a memory of a
# quarter of the sequence loses most of it.
FAINT, PART = 1e-3, 0.25


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
            blocks = weight.detach().double().split(module.hidden_size)
            radius = max(float(torch.linalg.eigvals(block).abs().max()) for block in blocks)
            yield self._one(name, radius, plain=isinstance(module, nn.RNN))

    def _memory(self, subject: Subject) -> Iterator[Finding]:
        """Steps back at which the last output still depends on the input."""
        slopes = _slopes_in_time(subject)
        if slopes is None or len(slopes) < LONG:
            return
        steps = len(slopes)
        reach = int((slopes.flip(0) > FAINT * slopes.max()).nonzero().max()) + 1
        short = reach < steps * PART
        yield self.finding(
            "It forgets most of its sequence" if short else "Length of memory",
            severity=Severity.MEDIUM if short else Severity.NONE,
            quantity="memory",
            value=rounded(reach),
            unit=f"of {steps} steps",
            expected=f"more than {PART * steps:.0f}, if the answer needs them",
            meaning=f"Beyond {reach} steps the last output depends on its input by less than a "
            "thousandth of the strongest dependence, so what happened before is not learned."
            if short
            else "The last output depends on inputs this far back.",
            advice="Use an LSTM or GRU with a forget bias of 1, an orthogonal recurrent start, "
            "attention, or shorter sequences."
            if short
            else "",
        )

    def _one(self, name: str, radius: float, *, plain: bool) -> Finding:
        explodes = plain and radius > TOO_LARGE
        if explodes:
            meaning = f"Gradients grow up to {radius:.2g} times with every step back in time."
        elif plain and 0 < radius < 1:
            meaning = f"The layer remembers about {-1 / math.log(radius):.2g} steps back."
        elif plain:
            meaning = "It is so close to 1 that the activation keeps it in bounds."
        else:
            meaning = "The gates control the memory, so this number alone is not a problem."
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


def _slopes_in_time(subject: Subject) -> Tensor | None:
    """Mean length of the derivative of the last output in what the network reads at each step."""
    batch = subject.data(SAMPLES)
    tensors = batch.tensors()
    x = tensors[0] if tensors else None
    if x is None or x.dim() not in (2, 3):
        return None
    with subject.borrowed() as model:
        if x.is_floating_point() and x.dim() == 3:
            read = x.detach().clone().requires_grad_(True)
            output = subject.output(batch.with_inputs(read, *tensors[1:]))
        else:
            output, vectors = _with_vectors(subject, model, batch)
            if vectors is None:
                return None
            read = vectors
        if output.dim() == 3 and output.shape[1] == x.shape[1]:
            output = output[:, -1]
        signs = torch.randint(2, output.shape, generator=subject.rng("memory")) * 2 - 1
        (slope,) = torch.autograd.grad((output * signs.to(output)).sum(), read, allow_unused=True)
    if slope is None or not bool(slope.any()):
        return None
    lengths: Tensor = slope.square().sum(2).sqrt()
    return lengths.mean(0)


def _with_vectors(subject: Subject, model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor | None]:
    """The output, and the vectors of tokens that the first embedding gives."""
    seen: list[Tensor] = []

    def hook(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        if not seen and output.dim() == 3:
            seen.append(output.detach().requires_grad_(True))
            return seen[0]
        return output

    for module in model.modules():
        if isinstance(module, nn.Embedding):
            module.register_forward_hook(hook)
    output = subject.output(batch)
    return output, seen[0] if seen else None
