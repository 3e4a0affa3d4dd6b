"""One small call of each instrument, with a network and data that are on the device given."""

from collections.abc import Callable
from typing import Any

import torch
from small_networks import example
from torch import Tensor, nn

import corollary
from corollary import curvature, generalization, kernels, regions, robustness, spectra, train

Call = Callable[[torch.device], Any]
CALLS: dict[str, Call] = {}


def instrument(call: Call) -> Call:
    """Add a call to the list."""
    CALLS[call.__name__] = call
    return call


def placed(device: torch.device, kind: str = "mlp") -> tuple[nn.Module, Tensor, Tensor]:
    """A network with its data."""
    net, (x, y) = example(kind)
    return net.to(device), x.to(device), y.to(device)


def landscape(device: torch.device) -> curvature.Landscape:
    """The loss of the small network."""
    net, x, y = placed(device)
    return curvature.Landscape(net, nn.functional.cross_entropy, [(x, y)])


@instrument
def top_eigenpairs(device: torch.device) -> Any:
    return curvature.top_eigenpairs(landscape(device), 2, tol=1e-2).values


@instrument
def trace(device: torch.device) -> Any:
    return curvature.trace(landscape(device), rtol=0.5)


@instrument
def spectral_density(device: torch.device) -> Any:
    return curvature.spectral_density(landscape(device), probes=2, steps=8)


@instrument
def noise_scale(device: torch.device) -> Any:
    return curvature.noise_scale(landscape(device), groups=8)


@instrument
def kfac(device: torch.device) -> Any:
    A = curvature.kfac(landscape(device))
    return A.product(torch.ones(A.size, dtype=A.dtype, device=device))


@instrument
def inverse(device: torch.device) -> Any:
    A = curvature.gauss_newton(landscape(device))
    return curvature.inverse(A, damping=1.0, tol=1e-3).product(
        torch.ones(A.size, dtype=A.dtype, device=device)
    )


@instrument
def loss_slice(device: torch.device) -> Any:
    return curvature.loss_slice(landscape(device), points=3)


@instrument
def largest_stable_step(device: torch.device) -> Any:
    return curvature.largest_stable_step(landscape(device), rtol=0.2)


@instrument
def diagonal(device: torch.device) -> Any:
    return curvature.diagonal(curvature.gauss_newton(landscape(device)))


@instrument
def tangent_kernel(device: torch.device) -> Any:
    net, x, _ = placed(device)
    return kernels.ntk(net, x[:8])


@instrument
def kernel_regime(device: torch.device) -> Any:
    net, x, y = placed(device)
    K = kernels.ntk(net, x[:8])
    hot = nn.functional.one_hot(y[:8], 2).to(K)
    return kernels.effective_rank(K), kernels.kernel_flow(K, K, hot, 1.0)


@instrument
def infinite_kernel(device: torch.device) -> Any:
    net, x, _ = placed(device)
    return kernels.infinite(net).ntk(x[:6])


@instrument
def linear_regions(device: torch.device) -> Any:
    net, x, _ = placed(device)
    return len(regions.linear_regions(net, 1.0, origin=x[0], basis=x[1:3] - x[0]))


@instrument
def activation_pattern(device: torch.device) -> Any:
    net, x, _ = placed(device)
    return regions.activation_pattern(net, x[:4]), regions.local_affine_map(net, x[:2])


@instrument
def portraits(device: torch.device) -> Any:
    net, _, _ = placed(device)
    return spectra.portraits(net)


@instrument
def pgd(device: torch.device) -> Any:
    net, x, y = placed(device)
    return robustness.PGD(0.1, steps=3, box=None)(net, x, y).robust_accuracy


@instrument
def other_attacks(device: torch.device) -> Any:
    net, x, y = placed(device)
    few, free = {"steps": 3, "box": None}, {"box": None}
    attacks = [robustness.FGSM(0.1, **free), robustness.DeepFool(**few), robustness.FMN(**few)]
    attacks += [robustness.APGD(0.1, **few), robustness.FAB(**few)]
    return [attack(net, x[:4], y[:4]).fooled for attack in attacks]


@instrument
def robust_curve(device: torch.device) -> Any:
    net, x, y = placed(device)
    return robustness.robust_curve(
        lambda eps: robustness.FGSM(eps, box=None), net, x[:8], y[:8], [0.05, 0.1]
    )


@instrument
def certified_radius(device: torch.device) -> Any:
    net, x, y = placed(device)
    return robustness.radius(net, x[:4], y[:4])


@instrument
def lipschitz(device: torch.device) -> Any:
    net, x, y = placed(device)
    return robustness.lipschitz_certificate(robustness.Certifier(net, x[:1])).radius(x[:4], y[:4])


@instrument
def smoothing(device: torch.device) -> Any:
    net, x, y = placed(device)
    return robustness.Smoothed(0.1, draws=50).certify(net, x[:2])


@instrument
def gap(device: torch.device) -> Any:
    net, x, y = placed(device)
    return generalization.empirical_risk(net, (x, y), lambda out, y: (out.argmax(1) != y).float())


@instrument
def pac_bayes(device: torch.device) -> Any:
    net, x, y = placed(device)
    return generalization.certificate(net, (x, y), draws=20, steps=20)


@instrument
def fit(device: torch.device) -> Any:
    net, (x, y) = example("cnn")
    loss, make = nn.functional.cross_entropy, lambda p: torch.optim.SGD(p, lr=0.05)
    return train.fit(net.to(device), (x, y), loss, make, epochs=2, batch_size=16)


@instrument
def watch(device: torch.device) -> Any:
    net, x, y = placed(device, "transformer")
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    with corollary.watch(net, optimizer, to=None, quiet=True) as watcher:
        for _ in range(12):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x[:16]), y[:16])
            loss.backward()
            optimizer.step()
    return watcher.readings
