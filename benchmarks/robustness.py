"""Attacks against torchattacks and foolbox, certificates against auto_LiRPA: on the same images.

A small standard MLP, and a CNN trained for two passes against FGSM, on 8 x 8 digits blown up to
28 x 28 pixels. Peers that are not installed are left out. The floor is the same number of forward
and backward passes over all images with nothing else; freezing what is fooled goes below it.

Certificates are compared with auto_LiRPA, whose source the environment variable AUTO_LIRPA points
to (it needs appdirs and graphviz); without it they are compared with forward passes alone.

    python benchmarks/robustness.py [--json out/robustness.json]
"""

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import torch
import torch.nn.functional as F
from race import Race, main, race
from torch import Tensor, nn

from corollary.data.real import digits
from corollary.theory.robustness.auto_pgd import APGD
from corollary.theory.robustness.black_box import BlackBoxAttack
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.certificates.live import LiveBounds
from corollary.theory.robustness.certificates.smoothing import Smoothed
from corollary.theory.robustness.fab import FAB
from corollary.theory.robustness.flip import DeepFool
from corollary.theory.robustness.gradient_attacks import FGSM, PGD
from corollary.theory.robustness.minimum_norm import FMN
from corollary.train import Adversarial, fit

ROWS, STEPS = 200, 40


def images(split: str) -> tuple[Tensor, Tensor]:
    x, y = digits(split)
    return F.interpolate(x[:, None], size=28, mode="bilinear").clamp(0, 1), y


@cache
def mlp() -> nn.Module:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, 256),
        nn.ReLU(),
        nn.Linear(256, 256),
        nn.ReLU(),
        nn.Linear(256, 10),
    )
    return trained(net, {})


@cache
def cnn() -> nn.Module:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 49, 100),
        nn.ReLU(),
        nn.Linear(100, 10),
    )
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


def survivors(net: nn.Module, x: Tensor, y: Tensor, attack: Callable[[], Tensor]) -> str:
    found = attack()
    with torch.no_grad():
        right = net(found).argmax(1) == y
    sizes = torch.where(right, torch.inf, (found - x).flatten(1).norm(dim=1))
    return f"robust accuracy {right.float().mean():.3f}, median l2 {sizes.median():.4g}"


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
                "apgd": lambda: torchattacks.APGD(net, eps=eps, steps=100),
                "square": lambda: torchattacks.Square(net, eps=eps, n_queries=200),
                "square l2": lambda: torchattacks.Square(net, norm="L2", eps=eps, n_queries=200),
                "fab": lambda: torchattacks.FAB(net, norm="L2", eps=1e3, steps=20),
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
                "fmn": lambda: attacks.L2FMNAttack(steps=30),
            }
            if kind in make:
                model = foolbox.PyTorchModel(net, bounds=(0, 1))
                radius = None if kind in ("deepfool", "fmn") else eps
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
    notes = {name: survivors(net, x, y, run) for name, run in contenders.items()}
    contenders["passes alone"] = passes(net, x, count)
    reference = next(n for n in ("torchattacks", "foolbox", "passes alone") if n in contenders)
    return race(
        title,
        contenders,
        reference=reference,
        floor="passes alone",
        rounds=3,
        notes=notes,
        facts={"images": len(x), "eps": eps},
    )


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


def apgd_mlp() -> Race:
    return attack_race("APGD-100, l-infinity, MLP", mlp(), "apgd", 0.1, APGD(0.1), 100)


def apgd_cnn() -> Race:
    return attack_race("APGD-100, l-infinity, robust CNN", cnn(), "apgd", 0.1, APGD(0.1), 100)


def square_mlp() -> Race:
    ours = BlackBoxAttack(0.1, queries=200)
    return attack_race("Square, 200 queries, MLP", mlp(), "square", 0.1, ours, 70)


def deepfool_mlp() -> Race:
    return attack_race("DeepFool, l2, MLP", mlp(), "deepfool", 1.0, DeepFool(), 10)


def square_l2_mlp() -> Race:
    ours = BlackBoxAttack(2.5, queries=200, norm="l2")
    return attack_race("Square, 200 queries, l2, MLP", mlp(), "square l2", 2.5, ours, 70)


def fab_mlp() -> Race:
    """One step takes a pass back for each of the ten classes."""
    return attack_race("FAB-20, l2, MLP", mlp(), "fab", 1.0, FAB(norm="l2", steps=20), 200)


def fmn_mlp() -> Race:
    return attack_race("FMN-30, l2, MLP", mlp(), "fmn", 1.0, FMN(steps=30), 30)


def fmn_cnn() -> Race:
    return attack_race("FMN-30, l2, robust CNN", cnn(), "fmn", 1.0, FMN(steps=30), 30)


THEIRS = {"alpha-crown": "CROWN-Optimized", "full-alpha-crown": "CROWN-Optimized"}


def auto_lirpa(
    net: nn.Module, x: Tensor, y: Tensor, eps: float, method: str
) -> dict[str, Callable]:
    """The same bound by auto_LiRPA, without graphs for training, if its source is at hand.

    Its optimised bounds choose the slopes of intermediate bounds too: 20 rounds, as by default.
    """
    if not os.environ.get("AUTO_LIRPA"):
        return {}
    bounded, ball, rows = their_module(net, x, y, eps)

    def run() -> Tensor:
        name = THEIRS.get(method, method.upper())
        with torch.set_grad_enabled(method in THEIRS):
            found = bounded.compute_bounds(x=(ball,), C=rows, method=name, bound_upper=False)
            return found[0].amin(1).detach()

    return {"auto_LiRPA": run}


def their_module(net: nn.Module, x: Tensor, y: Tensor, eps: float) -> tuple[Any, Any, Tensor]:
    """Their module, their ball, and the differences of the label to all other classes."""
    sys.path.insert(0, os.environ["AUTO_LIRPA"])
    k = net(x[:1]).shape[1]
    others = torch.stack(
        [torch.tensor([j for j in range(k) if j != label]) for label in y.tolist()]
    )
    eye = torch.eye(k)
    rows = eye[y][:, None] - eye[others]
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm

        bounded = BoundedModule(net, x, device="cpu", bound_opts={"conv_mode": "patches"})
        return bounded, BoundedTensor(x, PerturbationLpNorm(norm=float("inf"), eps=eps)), rows


def certificate_race(
    title: str, net: nn.Module, method: str, count: int, eps: float = 0.02
) -> Race:
    """Ours pays for rounding, theirs does not: their margins are a little larger in float32."""
    x, y = (t[:count] for t in test_images(net))
    certify = Certifier(net, x)
    contenders = {"corollary": lambda: certify.margins(x, y, eps, method)}
    contenders |= auto_lirpa(net, x, y, eps, method)
    found = {name: run() for name, run in contenders.items()}
    notes = {
        name: f"certified {float((m > 0).float().mean()):.3f}, "
        f"median {float(m.median()):.4g}, "
        f"off by {float((m - found['corollary']).abs().max()):.1g}"
        for name, m in found.items()
    }
    contenders["forward passes"] = lambda: outputs_alone(net, x)
    reference = next(n for n in ("auto_LiRPA", "forward passes") if n in contenders)
    return race(
        title,
        contenders,
        reference=reference,
        floor="forward passes",
        rounds=3,
        notes=notes,
        facts={"images": len(x), "eps": eps},
    )


def training_race(title: str, net: nn.Module, eps: float = 0.02) -> Race:
    """One gradient of the worst logits' cross entropy; the floor is that of the logits' own."""
    x, y = (t[:100] for t in test_images(net))
    bounds, weights = LiveBounds(net, x), list(net.parameters())

    def gradient(logits: Callable[[], Tensor]) -> tuple[Tensor, ...]:
        return torch.autograd.grad(F.cross_entropy(logits(), y), weights)

    contenders = {
        "corollary": lambda: gradient(lambda: bounds.worst(x, y, eps)),
        **their_gradient(net, x, y, eps),
        "standard training": lambda: gradient(lambda: net(x)),
    }
    reference = next(n for n in ("auto_LiRPA", "standard training") if n in contenders)
    return race(
        title,
        contenders,
        reference=reference,
        floor="standard training",
        rounds=3,
        facts={"images": len(x), "eps": eps},
    )


def their_gradient(net: nn.Module, x: Tensor, y: Tensor, eps: float) -> dict[str, Callable]:
    if not os.environ.get("AUTO_LIRPA"):
        return {}
    bounded, ball, rows = their_module(net, x, y, eps)
    weights, first = list(bounded.parameters()), torch.zeros(len(x), dtype=torch.int64)

    def run() -> tuple[Tensor, ...]:
        low = bounded.compute_bounds(x=(ball,), C=rows, method="IBP", bound_upper=False)[0]
        return torch.autograd.grad(F.cross_entropy(F.pad(-low, (1, 0)), first), weights)

    return {"auto_LiRPA": run}


def outputs_alone(net: nn.Module, x: Tensor) -> Tensor:
    with torch.no_grad():
        return net(x)


def ibp_mlp() -> Race:
    return certificate_race("IBP, MLP", mlp(), "ibp", 100)


def ibp_cnn() -> Race:
    return certificate_race("IBP, robust CNN", cnn(), "ibp", 100)


def certified_training_mlp() -> Race:
    return training_race("Certified training, MLP", mlp())


def certified_training_cnn() -> Race:
    return training_race("Certified training, robust CNN", cnn())


def crown_ibp_mlp() -> Race:
    return certificate_race("CROWN-IBP, MLP", mlp(), "crown-ibp", 100)


def crown_ibp_cnn() -> Race:
    return certificate_race("CROWN-IBP, robust CNN", cnn(), "crown-ibp", 100)


def crown_mlp() -> Race:
    return certificate_race("CROWN, MLP", mlp(), "crown", 10)


def crown_cnn() -> Race:
    return certificate_race("CROWN, robust CNN", cnn(), "crown", 10)


def alpha_crown_mlp() -> Race:
    """Slopes of the margins only; theirs chooses those of intermediate bounds too."""
    return certificate_race("alpha-CROWN, MLP", mlp(), "alpha-crown", 10, 0.05)


def full_alpha_crown_mlp() -> Race:
    return certificate_race("Full alpha-CROWN, MLP", mlp(), "full-alpha-crown", 10, 0.05)


def full_alpha_crown_cnn() -> Race:
    return certificate_race("Full alpha-CROWN, robust CNN", cnn(), "full-alpha-crown", 5, 0.05)


def smoothing_cnn() -> Race:
    """The floor draws the same noise and passes it forward, and nothing else."""
    net = cnn()
    x, _ = (t[:8] for t in test_images(net))
    smoothed, rng = Smoothed(0.25, draws=1000, first=24), torch.Generator().manual_seed(0)

    def floor() -> None:
        with torch.no_grad():
            for _ in range(8):
                net((0.25 * torch.randn(128, *x.shape, generator=rng) + x).flatten(0, 1))

    found = smoothed.certify(net, x, rng=rng)
    return race(
        "Randomised smoothing, robust CNN",
        {"corollary": lambda: smoothed.certify(net, x, rng=rng), "noise and passes": floor},
        reference="noise and passes",
        floor="noise and passes",
        rounds=3,
        notes={"corollary": f"median radius {float(found.radius.median()):.3f}"},
        facts={"images": len(x), "draws": 1024},
    )


if __name__ == "__main__":
    main(
        fgsm_mlp,
        fgsm_cnn,
        pgd_mlp,
        pgd_cnn,
        pgd_l2_mlp,
        pgd_l2_cnn,
        apgd_mlp,
        apgd_cnn,
        square_mlp,
        square_l2_mlp,
        deepfool_mlp,
        fab_mlp,
        fmn_mlp,
        fmn_cnn,
        ibp_mlp,
        ibp_cnn,
        certified_training_mlp,
        certified_training_cnn,
        crown_ibp_mlp,
        crown_ibp_cnn,
        crown_mlp,
        crown_cnn,
        alpha_crown_mlp,
        full_alpha_crown_mlp,
        full_alpha_crown_cnn,
        smoothing_cnn,
    )
