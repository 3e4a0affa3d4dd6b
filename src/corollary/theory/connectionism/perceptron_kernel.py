"""The perceptron's inner loop, twice: point by point for numba, from mistake to mistake for torch.

Both take the signed points ``z_i = y_i x_i`` and update ``w += z_i`` whenever ``<w, z_i> <= 0``.
Both return the weights, the index of each mistake, how many points had been shown by then, the
passes begun, and whether the last pass was clean.
"""

import numpy as np
import torch
from torch import Tensor

SMALLEST_BLOCK, LARGEST_BLOCK = 32, 4096  # points scored at once between two mistakes


def visit_each_point(z, max_updates, max_epochs):  # noqa: ANN001, ANN201 - typed by numba
    """One point after the other; to be compiled."""
    n, d = z.shape
    w = np.zeros(d, z.dtype)
    mistakes = np.empty(1024, np.int64)
    shown = np.empty(1024, np.int64)
    t, epoch, clean = 0, 0, False
    while not clean and epoch < max_epochs and t < max_updates:
        epoch += 1
        clean = True
        for i in range(n):
            if np.dot(w, z[i]) > 0:
                continue
            clean = False
            if t == len(mistakes):
                mistakes = np.concatenate((mistakes, np.empty(t, np.int64)))
                shown = np.concatenate((shown, np.empty(t, np.int64)))
            mistakes[t] = i
            shown[t] = (epoch - 1) * n + i + 1
            t += 1
            for j in range(d):
                w[j] += z[i, j]
            if t == max_updates:
                break
    return w, mistakes[:t].copy(), shown[:t].copy(), epoch, clean


def jump_to_mistakes(
    z: Tensor, max_updates: int, max_epochs: int
) -> tuple[Tensor, Tensor, Tensor, int, bool]:
    """Score a block with the weights of the moment and go to its first mistake.

    The block grows while points are classified rightly and shrinks after a mistake, so that
    about as many points are scored in vain as are needed.
    """
    n, d = z.shape
    w = z.new_zeros(d)
    mistakes: list[int] = []
    shown: list[int] = []
    epoch, clean = 0, False
    while not clean and epoch < max_epochs and len(mistakes) < max_updates:
        epoch, clean = epoch + 1, True
        i, block = 0, SMALLEST_BLOCK
        while i < n and len(mistakes) < max_updates:
            wrong = z[i : i + block] @ w <= 0
            first = int(wrong.to(torch.uint8).argmax())
            if not bool(wrong[first]):
                i, block = i + block, min(2 * block, LARGEST_BLOCK)
                continue
            clean, i, block = False, i + first + 1, max(block // 2, SMALLEST_BLOCK)
            w += z[i - 1]
            mistakes.append(i - 1)
            shown.append((epoch - 1) * n + i)
    return w, torch.tensor(mistakes).long(), torch.tensor(shown).long(), epoch, clean
