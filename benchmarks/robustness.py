"""Attacks against torchattacks and foolbox: the same radius, steps and images.

A small standard MLP, and a CNN trained for two passes against FGSM, on 8 x 8 digits blown up to
28 x 28 pixels. Peers that are not installed are left out. The floor is the same number of forward
and backward passes over all images with nothing else; freezing what is fooled goes below it.

    python benchmarks/robustness.py [--json out/robustness.json]
"""

import warnings
from collections.abc import Callable
from functools import cache, partial

import torch
import torch.nn.functional as F
from race import Race, main, race
from torch import Tensor, nn

from corollary.data.real import digits
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.flip import DeepFool
from corollary.theory.robustness.gradient_attacks import FGSM, PGD
from corollary.train import Adversarial, fit

ROWS, STEPS = 200, 40


def images(split: str) -> tuple[Tensor, Tensor]:
    x, y = digits(split)
    return F.interpolate(x[:, None], size=28, mode="bilinear").clamp(0, 1), y


@cache
def mlp() -> nn.Module:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(),
        nn.Linear(256, 10),
    )  # fmt: skip
    return trained(net, {})


@cache
def cnn() -> nn.Module:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.ReLU(),
        nn.Conv2d(16, 32, 5, stride=2, padding=2), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 49, 100), nn.ReLU(), nn.Linear(100, 10),
    )  # fmt: skip
    return trained(net, {"call": Adversarial(FGSM(0.2))})


def trained(net: nn.Module, options: dict) -> nn.Module:
    adam = partial(torch.optim.Adam, lr=2e-3)
    fit(net, images("train"), F.cross_entropy, adam, epochs=6, batch_size=64, **options)
    return net.eval()


def test_images(net: nn.Module) -> tuple[Tensor, Tensor]:
    x, y = images("test")
    right = net(x).argmax(1) == y
    return x[right][:ROWS], y[right][:ROWS]


def passes(net: nn.Module, x: Tensor, count: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(count):
            z = x.detach().requires_grad_(True)
            out = net(z)
            torch.autograd.grad(out, z, torch.ones_like(out))

    return run


def survivors(net: nn.Module, y: Tensor, attack: Callable[[], Tensor]) -> str:
    found = attack()
    with torch.no_grad():
        right = net(found).argmax(1) == y
    return f"robust accuracy {right.float().mean():.3f}"


def peers(net: nn.Module, x: Tensor, y: Tensor, kind: str, eps: float) -> dict[str, Callable]:
    """The same attack of whichever peer is installed."""
    found: dict[str, Callable] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import torchattacks

            make = {
                "fgsm": lambda: torchattacks.FGSM(net, eps=eps),
                "linf": lambda: torchattacks.PGD(net, eps=eps, alpha=eps / 10, steps=STEPS),
                "l2": lambda: torchattacks.PGDL2(net, eps=eps, alpha=eps / 10, steps=STEPS),
                "square": lambda: torchattacks.Square(net, eps=eps, n_queries=200),
            }
            if kind in make:  # its DeepFool goes image by image and takes minutes
                found["torchattacks"] = partial(make[kind](), x, y)
        except ImportError:
            print("torchattacks is not installed")
        try:
            import foolbox

            attacks = foolbox.attacks
            make = {
                "fgsm": lambda: attacks.FGSM(),
                "linf": lambda: attacks.LinfPGD(abs_stepsize=eps / 10, steps=STEPS),
                "l2": lambda: attacks.L2PGD(abs_stepsize=eps / 10, steps=STEPS),
                "deepfool": lambda: attacks.L2DeepFoolAttack(),
            }
            if kind in make:
                model = foolbox.PyTorchModel(net, bounds=(0, 1))
                radius = None if kind == "deepfool" else eps
                found["foolbox"] = lambda: make[kind]()(model, x, y, epsilons=radius)[1]
        except ImportError:
            print("foolbox is not installed")
    return found


def attack_race(title: str, net: nn.Module, kind: str, eps: float, ours, count: int) -> Race:
    x, y = test_images(net)
    rng = torch.Generator().manual_seed(0)
    contenders = {"corollary": lambda: ours.inputs(net, x, y, rng=rng)}
    contenders |= peers(net, x, y, kind, eps)
    torch.manual_seed(0)  # torchattacks draws from the global generator
    notes = {name: survivors(net, y, run) for name, run in contenders.items()}
    contenders["passes alone"] = passes(net, x, count)
    reference = next(n for n in ("torchattacks", "foolbox", "passes alone") if n in contenders)
    return race(
        title, contenders, reference=reference, floor="passes alone", rounds=3, notes=notes,
        facts={"images": len(x), "eps": eps},
    )  # fmt: skip


def fgsm_mlp() -> Race:
    return attack_race("FGSM, MLP", mlp(), "fgsm", 0.1, FGSM(0.1), 1)


def fgsm_cnn() -> Race:
    return attack_race("FGSM, robust CNN", cnn(), "fgsm", 0.1, FGSM(0.1), 1)


def pgd_mlp() -> Race:
    ours = PGD(0.1, alpha=0.01, steps=STEPS)
    return attack_race("PGD-40, l-infinity, MLP", mlp(), "linf", 0.1, ours, STEPS)


def pgd_cnn() -> Race:
    ours = PGD(0.1, alpha=0.01, steps=STEPS)
    return attack_race("PGD-40, l-infinity, robust CNN", cnn(), "linf", 0.1, ours, STEPS)


def pgd_l2_mlp() -> Race:
    ours = PGD(1.0, alpha=0.1, steps=STEPS, norm="l2")
    return attack_race("PGD-40, l2, MLP", mlp(), "l2", 1.0, ours, STEPS)


def pgd_l2_cnn() -> Race:
    ours = PGD(1.0, alpha=0.1, steps=STEPS, norm="l2")
    return attack_race("PGD-40, l2, robust CNN", cnn(), "l2", 1.0, ours, STEPS)


def square_mlp() -> Race:
    ours = BlackBoxAttack(0.1, queries=200)
    return attack_race("Square, 200 queries, MLP", mlp(), "square", 0.1, ours, 70)


def deepfool_mlp() -> Race:
    return attack_race("DeepFool, l2, MLP", mlp(), "deepfool", 1.0, DeepFool(), 10)


if __name__ == "__main__":
    main(
        fgsm_mlp, fgsm_cnn, pgd_mlp, pgd_cnn, pgd_l2_mlp, pgd_l2_cnn, square_mlp, deepfool_mlp
    )  # fmt: skip
