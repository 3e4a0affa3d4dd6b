"""The change that makes a network transfer, from the exponents it was measured to have."""

import math
from collections.abc import Callable, Mapping, Sequence

from corollary.theory.scaling.abc import ABC, Optimizer, Role
from corollary.theory.scaling.transfer import correction
from corollary.train.scaling.change import Change
from corollary.train.scaling.exponent import fitted
from corollary.train.scaling.result import LayerScaling, WidthCheck
from corollary.train.scaling.roles import Growth
from corollary.train.scaling.sizes import Measured
from corollary.train.scaling.structure import Layer
from corollary.train.scaling.summary import Runs


def changes_for(
    layers: Sequence[Layer],
    grown: Mapping[str, Growth],
    check: WidthCheck,
    found: Runs,
    optimizer: Optimizer,
) -> list[Change]:
    """What to change at each parameter so that the network trains as under muP.

    The initial scale gives b, the learning rate gives c, and what a layer does to the size of its
    input gives the multiplier a that its forward applies; each is rounded to a multiple of 1/2. An
    output that shares its matrix with an embedding gets a multiplier, for the matrix has its scale
    and learning rate from the embedding.
    """
    matrices = [layer for layer in layers if layer.role is not None]
    rows = {
        name: row
        for layer, row in zip(reversed(matrices), reversed(check.layers), strict=True)
        for name in layer.parameters
    }
    changes = []
    for name, growth in grown.items():
        now = _exponents_now(name, growth.role, rows.get(name), check.widths, found)
        change = Change(name, growth.role, correction(growth.role, optimizer, now))
        if growth.role is not Role.CONSTANT and not change.nothing:
            changes.append(change)
    shared = [layer.name for layer in layers if layer.shared and layer.role is Role.OUTPUT]
    return changes + [Change(f"{name}.weight", Role.OUTPUT, ABC(1, 0, 0)) for name in shared]


def _exponents_now(
    name: str, role: Role, row: LayerScaling | None, widths: Sequence[int], found: Runs
) -> ABC:
    def exponent(of: Callable[[Measured], float]) -> float:
        return fitted(widths, [[of(m) for m in row] for row in found]).nearest

    b, c = -exponent(lambda m: m.scales[name]), -exponent(lambda m: m.rates.get(name, 1.0))
    if math.isnan(b):
        b = role.f / 2  # zero at the start, which is zero at every scale
    if row is None or row.role is not role:
        return ABC(0.0, b, c)
    gain = (row.activation + (row.behind - row.given.value)).nearest
    return ABC(0.0 if math.isnan(gain) else role.f / 2 - b - gain, b, c)
