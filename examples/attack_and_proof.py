r"""
Between an attack and a proof
=============================

How many digits does a network still read when every pixel may be changed by :math:`\epsilon`? An
attack gives an upper bound, because it may have missed a perturbation. A proof gives a lower bound,
because it may be too cautious. The true number lies between the two bounds.

The attack is projected gradient ascent with two starts. The proofs are interval bounds and CROWN,
which follow the whole ball through the network. Attack and proofs are applied to two networks of
the same shape. One is trained as usual, the other on attacked digits. The second network is as
accurate on clean digits and far more robust, and a larger share of its robustness can be proved.
"""

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

from corollary.data.real import digits
from corollary.theory.robustness.certificates import Certifier
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.train import Adversarial, fit

RADII = (0.0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15)


def trained(*, against: float) -> nn.Sequential:
    """A small network; if ``against`` is above 0, it is trained on attacked batches."""
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)
    )
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    options = {"call": Adversarial(PGD(against, steps=7))} if against else {}
    fit(
        net, digits("train"), nn.functional.cross_entropy, adam, epochs=20, batch_size=64, **options
    )
    return net.eval()


def curves(net: nn.Module, x: Tensor, y: Tensor) -> dict[str, list[float]]:
    """For each radius, the share of digits that survive the attack and the share that is proved."""
    certify = Certifier(net, x, box=(0.0, 1.0))
    rng = torch.Generator().manual_seed(0)
    found: dict[str, list[float]] = {"attack": [], "CROWN": [], "intervals": []}
    for eps in RADII:
        attack = PGD(eps, steps=20, restarts=2)(net, x, y, rng=rng)
        found["attack"].append(attack.robust_accuracy)
        for name, method in (("CROWN", "crown"), ("intervals", "ibp")):
            margins = certify.margins(x, y, eps, method)
            found[name].append(float((margins > 0).double().mean()))
    return found


def main() -> dict[str, dict[str, list[float]]]:
    """Draw the bounds for both networks."""
    x, y = digits("test")
    both = {"trained as usual": 0.0, "trained on attacked digits": 0.1}
    fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    all_found = {}
    for ax, (name, against) in zip(axes, both.items(), strict=True):
        found = all_found[name] = curves(trained(against=against), x, y)
        ax.fill_between(
            RADII, found["CROWN"], found["attack"], color="gray", alpha=0.2, label="not known"
        )
        ax.plot(
            RADII, found["attack"], "o-", color="tab:red", markersize=4, label="survive the attack"
        )
        ax.plot(RADII, found["CROWN"], "s-", color="tab:blue", markersize=4, label="proved, CROWN")
        ax.plot(
            RADII,
            found["intervals"],
            "^--",
            color="tab:blue",
            markersize=4,
            alpha=0.6,
            label="proved, intervals",
        )
        ax.set(title=name, xlabel="largest change of a pixel, $\\epsilon$", ylim=(0, 1))
    axes[0].set_ylabel(f"share of {len(x)} test digits")
    axes[0].legend()
    return all_found


# %%
# At :math:`\epsilon = 0.1` the true robust accuracy lies between proof and attack:

if __name__ == "__main__":
    for name, found in main().items():
        low, high = found["CROWN"][RADII.index(0.1)], found["attack"][RADII.index(0.1)]
        print(f"{name}: clean {found['attack'][0]:.1%}, robust {low:.1%} to {high:.1%}")
