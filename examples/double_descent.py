r"""
Double descent on handwritten digits
====================================

In textbooks, the test error falls and then rises as the model grows: too small, right, too large.
Past the point where a model can fit its training data exactly, the error falls a second time
(Belkin, Hsu, Ma and Mandal (2019), "Reconciling modern machine-learning practice and the classical
bias-variance trade-off").

The models here are least squares on random ReLU features of 8 by 8 digits,
:math:`\phi(x) = \max(0, Wx)` with :math:`p` rows of W drawn once, and among all best fits, the fit
of smallest norm is taken. One label in ten is wrong on purpose. At :math:`p = n` there is exactly
one fit, and it has to follow every wrong label. With more features there are many fits, and the fit
of smallest norm is smooth. With a ridge penalty there is no peak.

The right picture shows the same effect in a model with an exact formula: the features are normal,
the weights are planted, and :func:`~corollary.theory.double_descent.gaussian_design.min_norm_risk`
gives the exact risk. The dots are measured risks.
"""  # noqa: E501

import matplotlib.pyplot as plt
import torch
from torch import Tensor

from corollary.data.real import digits
from corollary.theory.double_descent.gaussian_design import min_norm_risk

N = 300  # training digits
SIZES = (10, 20, 40, 80, 120, 180, 240, 270, 285, 300, 315, 330, 380, 450, 600, 1000, 2000, 4000)
"""The numbers of features to try."""


def noisy_digits(rng: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Training digits with one label in ten redrawn, as one-hot rows, and the test digits."""
    (x, y), (at, truth) = digits("train"), digits("test")
    chosen = torch.randperm(len(x), generator=rng)[:N]
    y = y[chosen]
    wrong = torch.rand(N, generator=rng) < 0.1
    y = torch.where(wrong, torch.randint(10, (N,), generator=rng), y)
    x, at = (t.flatten(1).double() for t in (x[chosen], at))
    return x, torch.eye(10).double()[y], at, truth


def errors(draws: int, ridge: float) -> Tensor:
    """Share of wrong test digits, by number of features and draw."""
    found = torch.zeros(len(SIZES), draws)
    for k in range(draws):
        rng = torch.Generator().manual_seed(k)
        x, targets, at, truth = noisy_digits(rng)
        w = torch.randn(64, max(SIZES), generator=rng, dtype=torch.float64) / 8
        phi, phi_at = (x @ w).relu(), (at @ w).relu()
        for i, p in enumerate(SIZES):
            a, b = phi[:, :p] / p**0.5, phi_at[:, :p] / p**0.5
            if ridge:
                alpha = torch.linalg.solve(a @ a.T + ridge * torch.eye(N).double(), targets)
                out = b @ (a.T @ alpha)
            else:
                out = b @ (torch.linalg.pinv(a, rtol=1e-12) @ targets)
            found[i, k] = (out.argmax(1) != truth).double().mean()
    return found


def draw_digits(ax: plt.Axes, draws: int) -> Tensor:
    """Test errors with and without a ridge penalty; bars from the smallest to the largest draw."""
    free = errors(draws, 0.0)
    for found, name in ((free, "shortest fit"), (errors(draws, 1e-2), "ridge 0.01")):
        (line,) = ax.plot(SIZES, found.mean(1), "o-", markersize=3, label=name)
        ax.fill_between(SIZES, found.amin(1), found.amax(1), alpha=0.2, color=line.get_color())
    ax.axvline(N, color="gray", linewidth=0.8)
    ax.set(
        xscale="log",
        xlabel="features $p$; grey: $p = n$",
        ylabel="test error",
        title=f"{N} digits, one label in ten wrong",
        ylim=(0, None),
    )
    ax.legend()
    return free


def draw_exact(ax: plt.Axes, draws: int, n: int = 40) -> None:
    """Exact risk of the shortest fit for normal features, and medians over draws."""
    sizes = torch.tensor([4, 10, 20, 30, 36, 44, 50, 60, 80, 120, 200, 400])
    grid = [p for p in range(2, 401) if abs(p - n) > 1]
    exact = [min_norm_risk(n, p, 1.0, 0.25).total for p in grid]
    rng = torch.Generator().manual_seed(1)
    rows = []
    for p in sizes.tolist():
        phi = torch.randn(draws, n, p, generator=rng, dtype=torch.float64)
        noise = 0.5 * torch.randn(draws, n, generator=rng, dtype=torch.float64)
        truth = torch.full((p,), p**-0.5, dtype=torch.float64)
        fitted = (torch.linalg.pinv(phi) @ (phi @ truth + noise)[..., None])[..., 0]
        rows.append((fitted - truth).square().sum(1))
    risk = torch.stack(rows)
    half = 2 * risk.std(1) / draws**0.5
    for part in ([p for p in grid if p < n], [p for p in grid if p > n]):
        chosen = [exact[grid.index(p)] for p in part]
        ax.plot(part, chosen, color="tab:red", label="exact" if part[0] < n else None)
    ax.errorbar(
        sizes,
        risk.mean(1),
        yerr=half,
        fmt="o",
        markersize=3,
        color="tab:blue",
        capsize=2,
        label=f"mean of {draws} draws",
    )
    ax.set(
        xscale="log",
        yscale="log",
        xlabel=f"features $p$, with $n = {n}$",
        ylabel="excess risk",
        title="normal features, planted weights",
    )
    ax.legend()


def main(draws: int = 3) -> dict[int, float]:
    """Draw both pictures, and return the mean test error by number of features."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    free = draw_digits(left, draws)
    draw_exact(right, 400)
    return dict(zip(SIZES, free.mean(1).tolist(), strict=True))


# %%
# A model with more than ten times as many features as digits beats the best small model:

if __name__ == "__main__":
    found = main()
    small = min((p for p in SIZES if p < N), key=found.get)
    for p in (small, N, max(SIZES)):
        print(f"p = {p:4}: {found[p]:.1%} of the test digits are wrong")
