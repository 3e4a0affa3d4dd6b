r"""
A certificate that is not vacuous
=================================

Bounds that count parameters are above 1 for a network with more weights than samples, so they say
nothing. A PAC-Bayes bound considers the weights that training found, instead of all weights that it
might have found. For a *randomised* network, with normal weights :math:`Q` around the trained ones,
and a prior :math:`P` chosen without the data,

.. math:: \mathrm{kl}\bigl(\hat L(Q) \,\|\, L(Q)\bigr) \le
          \frac{\mathrm{KL}(Q\|P) + \ln(2\sqrt n/\delta)}{n}

with probability :math:`1-\delta` over the sample. A weight that can be perturbed without changing
the error adds almost nothing to the bound, and most weights are of this kind. Training on the bound
itself finds such a :math:`Q` (Dziugaite and Roy (2017), "Computing nonvacuous generalization bounds
for deep (stochastic) neural networks with many more parameters than training data").

Here the network decides whether a digit is below five. It has 17,000 weights and is trained on 1437
digits. Its bound is compared with its error on 360 unseen digits, and with the bound for random
labels.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

from corollary.data.real import digits
from corollary.train import fit
from corollary.train.pac_bayes import Certificate, pac_bayes_certificate

Pair = tuple[Tensor, Tensor]
DELTA = 0.05


def shuffled(n: int = 1437) -> tuple[Pair, Pair]:
    """Digits and whether each is at least five: n for training, the rest for testing.

    The file is sorted by writer. The bound assumes independent draws, so the digits are shuffled.
    """
    both = [torch.cat(parts) for parts in zip(digits("train"), digits("test"), strict=True)]
    order = torch.randperm(len(both[0]), generator=torch.Generator().manual_seed(0))
    x, y = both[0][order].flatten(1), (both[1][order] >= 5).long()
    return (x[:n], y[:n]), (x[n:], y[n:])


def certified(data: Pair, test: Pair | None, *, learn_prior: float, steps: int) -> Certificate:
    """Train a network, then bound the error of its randomised version."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 2)
    )
    start = {name: p.detach().clone() for name, p in net.named_parameters()}
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    fit(net, data, nn.functional.cross_entropy, adam, epochs=20, batch_size=128)
    return pac_bayes_certificate(
        net,
        data,
        prior=start,
        learn_prior=learn_prior,
        delta=DELTA,
        test=test,
        steps=steps,
        draws=30_000,
    )


def draw(found: dict[str, Certificate]) -> None:
    """Bounds as bars, errors as dots."""
    fig, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
    at = list(range(len(found)))[::-1]
    ax.barh(
        at,
        [c.bound for c in found.values()],
        height=0.5,
        alpha=0.35,
        color="tab:red",
        label=f"bound, with probability {1 - DELTA:.0%}",
    )
    ax.plot([c.error for c in found.values()], at, "o", color="tab:blue", label="training error")
    fresh = [(c.test_error, a) for c, a in zip(found.values(), at, strict=True) if c.test_error]
    ax.plot(*zip(*fresh, strict=True), "kx", label="error on fresh digits")
    ax.set(yticks=at, yticklabels=list(found), xlim=(0, 1), xlabel="error")
    ax.axvline(0.5, color="gray", linewidth=0.8)
    ax.annotate("a coin", (0.505, 0.02), xycoords=("data", "axes fraction"), color="gray")
    ax.legend(loc="upper right")


def main(steps: int = 500) -> dict[str, Certificate]:
    """Three certificates: initial weights as prior, learned prior, random labels."""
    data, test = shuffled()
    rng = torch.Generator().manual_seed(0)
    coin = torch.randint(2, (len(data[0]),), generator=rng)
    found = {
        "prior: the first weights": certified(data, test, learn_prior=0.0, steps=steps),
        "prior: learned on one half": certified(data, test, learn_prior=0.5, steps=steps),
        "random labels": certified((data[0], coin), None, learn_prior=0.0, steps=steps),
    }
    draw(found)
    return found


# %% The full certificate with a prior that was learned on one half of the digits. The bound uses
# only # the other half:

if __name__ == "__main__":
    found = main()
    for words, value in found["prior: learned on one half"].rows():
        print(f"{words:49} {value}")
    print(f"{'the same for random labels, at most':49} {found['random labels'].bound:.4f}")
