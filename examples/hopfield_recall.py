r"""
A network that remembers pictures
=================================

A Hopfield network stores patterns of signs in its couplings,
:math:`W = \frac1n \sum_t x_t x_t^\top` without the diagonal, and recalls the nearest pattern.
Updating one neuron after the other never raises the energy, so the state moves from a damaged
picture to a minimum of the energy. If the stored pictures are few and not too similar, these minima
are the stored pictures.

Here four small pictures are stored. A quarter of the pixels of each picture is flipped, and the
network restores the picture.
"""

import matplotlib.pyplot as plt
import torch

from corollary.data.patterns import with_flipped_bits
from corollary.theory.connectionism.hopfield.dynamics import asynchronous_run
from corollary.theory.connectionism.hopfield.storage import hebbian_weights, overlap

SIDE = 24


def pictures() -> torch.Tensor:
    """A disc, a cross, stripes and a chessboard, one per row, in signs."""
    row, column = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    middle = (SIDE - 1) / 2
    drawn = [
        (row - middle) ** 2 + (column - middle) ** 2 < (0.42 * SIDE) ** 2,
        ((row - middle).abs() < 3) | ((column - middle).abs() < 3),
        (row // 3) % 2 == 0,
        (row // 6 + column // 6) % 2 == 0,
    ]
    return torch.stack([2.0 * d.double().flatten() - 1 for d in drawn])


def main(damage: float = 0.25) -> torch.Tensor:
    """Store, damage and recall pictures; return the overlap of recalled and stored pictures."""
    stored = pictures()
    rng = torch.Generator().manual_seed(0)
    damaged = with_flipped_bits(stored, damage, rng=rng)
    run = asynchronous_run(hebbian_weights(stored), None, damaged, symmetric=True)
    rows = {"stored": stored, "damaged": damaged, "recalled": run.states}
    fig, axes = plt.subplots(3, len(stored), figsize=(6, 4.6), layout="constrained")
    for line, (name, states) in zip(axes, rows.items(), strict=True):
        for ax, state in zip(line, states, strict=True):
            ax.imshow(state.reshape(SIDE, SIDE).numpy(), cmap="gray_r", vmin=-1, vmax=1)
            ax.set(xticks=[], yticks=[])
        line[0].set_ylabel(name)
    return overlap(run.states, stored)


# %%
# An overlap of 1 is a perfect recall:

if __name__ == "__main__":
    print([round(float(m), 3) for m in main()])
