"""Units that are exact copies.

Two units of a layer with the same incoming and outgoing weights get the same gradient and stay
copies forever: the layer is narrower than it looks. Constant initial weights make copies of whole
layers.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.5, on permutation symmetry;
    Goodfellow, Bengio and Courville (2016), Deep Learning, Section 8.4, on breaking symmetry.
:kind: exam
:claims: hidden_unit_permutation
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from corollary.core import Budget, Evidence, Exam, Finding, Severity, Subject
from corollary.errors import NotApplicableError
from corollary.exams.readings import counted
from corollary.theory.landscape.signal import matrix_weight


class CopiedUnits(Exam):
    """Rows of a weight matrix that occur more than once."""

    def examine(self, subject: Subject, budget: Budget) -> Iterator[Finding]:
        """The layer with the most copies; the last layer's rows are outputs, not units."""
        modules = subject.model.named_modules()
        layers = [(n, m, w) for n, m in modules if (w := _weight(m)) is not None]
        if len(layers) < 2:
            raise NotApplicableError("there is no hidden layer that is nn.Linear or nn.Conv")
        found = [(_copies(m, w), n, len(w)) for n, m, w in layers[:-1]]
        copies, name, width = max(found)
        yield self.finding(
            "Copied units" if copies else "All units differ",
            severity=Severity.HIGH if copies else Severity.NONE,
            evidence=Evidence.CONFIRMED,
            where=name if copies else "",
            value=counted(copies) if copies else None,
            unit=f"of {width} units are copies of another unit",
            expected="0" if copies else "",
            meaning="Copied units get the same gradient and stay equal, so the layer is "
            "narrower than it looks."
            if copies
            else "No two units of a layer have the same weights.",
            advice="Initialise the weights at random. A constant initialisation never breaks "
            "the symmetry."
            if copies
            else "",
            claims=("hidden_unit_permutation",),
        )


def _weight(module: nn.Module) -> Tensor | None:
    weight = matrix_weight(module)
    # Rows of a normalisation, an embedding or a transposed kernel are not units.
    return weight if isinstance(module, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d) else None


def _copies(module: nn.Module, weight: Tensor) -> int:
    rows = weight.detach().flatten(1)
    bias = getattr(module, "bias", None)
    if isinstance(bias, Tensor):
        rows = torch.cat([rows, bias.detach()[:, None]], dim=1)
    rows = rows[(rows != 0).any(dim=1)]  # a layer of zeros is another exam's matter
    if rows.is_complex():
        rows = torch.view_as_real(rows).flatten(1)
    return len(rows) - len(torch.unique(rows.float(), dim=0)) if len(rows) else 0
