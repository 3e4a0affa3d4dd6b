"""Tangent kernels of finite networks against neural-tangents and torch.func.

The contender is its structured implementation 3, compiled. A network of 670k parameters with 10
outputs, a convolutional one of 225k; in full all pairs of outputs count, in trace their sum. The
arithmetic alone is that of contracting layer by layer, with symmetry and the cheaper way for each
layer, at the speed of one large matrix product in this run.
"""

import resource
import time
from dataclasses import replace

import torch
from race import Lap, Race, race
from torch import nn
from torch.func import functional_call, jacrev, vmap

from corollary.theory.kernels.empirical import empirical_ntk
from kernel_races.peer import against_peer, inputs


def mlp() -> nn.Module:
    """784-512-512-10."""
    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


def cnn() -> nn.Module:
    """Three convolutions, global pooling, 10 outputs."""
    return nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(64, 128, 3, padding=1, stride=2),
        nn.ReLU(),
        nn.Conv2d(128, 128, 3, padding=1, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(128, 10),
    )


OUTPUTS = 10
LAYERS = {  # of every layer: numbers seen at a place, numbers given there, places
    "mlp": ((784, 512, 1), (512, 512, 1), (512, OUTPUTS, 1)),
    "cnn": ((27, 64, 256), (576, 128, 64), (1152, 128, 16), (128, OUTPUTS, 1)),
}


def arithmetic(name: str, mode: str, n: int) -> float:
    """Multiplications and additions of the cheapest exact way, by symmetry half of all pairs."""
    pairs = n * n / 2
    kernels = OUTPUTS**2 if mode == "full" else OUTPUTS
    total = 0.0
    for k, (a, g, s) in enumerate(LAYERS[name]):
        total += n * a * g * s  # forward
        if 0 < k < len(LAYERS[name]) - 1:
            total += OUTPUTS * n * a * g * s  # backward; that of the last layer is its weight
        double_sum = pairs * s * s * (a + kernels * g)
        written_out = OUTPUTS * n * a * g * s + pairs * kernels * a * g
        total += min(double_sum, written_out) if k < len(LAYERS[name]) - 1 else pairs * a
    return 2 * total


def product_seconds(flops: float) -> float:
    """CPU time of so many operations, done as one matrix product would."""
    x, y = inputs(2000, 512, dtype=torch.float32), inputs(2001, 512, dtype=torch.float32)
    out = torch.zeros(2000, 2001)  # memory that is fresh for every product would slow it
    product = {"x yᵀ": lambda: torch.mm(x, y.T, out=out)}
    best = race("", product, reference="x yᵀ", rounds=5).laps[0].seconds
    return flops * best / (2 * len(x) * len(y) * x.shape[1])


def finite(name: str, mode: str, n: int) -> Race:
    """One network, one mode."""
    model = mlp() if name == "mlp" else cnn()
    x = inputs(n, *((784,) if name == "mlp" else (3, 16, 16)), dtype=torch.float32)
    found = against_peer(
        f"Tangent kernel of a finite {name.upper()}, {mode}, n = {n}, float32",
        f"finite {name}-{mode} {n}",
        {"corollary": lambda: empirical_ntk(model, x, mode=mode)},
        None,
    )
    flops = arithmetic(name, mode, n)
    floor = product_seconds(flops)
    ratio = found.laps[0].seconds / floor
    note = f"{flops / 1e9:.1f} billion operations"
    return replace(
        found, laps=(*found.laps, Lap("the arithmetic alone", floor, floor, ratio, None, note))
    )


def mlp_full() -> Race:
    """All pairs of outputs."""
    return finite("mlp", "full", 200)


def mlp_trace() -> Race:
    """Their trace."""
    return finite("mlp", "trace", 200)


def cnn_full() -> Race:
    """All pairs of outputs."""
    return finite("cnn", "full", 50)


def cnn_trace() -> Race:
    """Their trace."""
    return finite("cnn", "trace", 50)


def jacobians() -> Race:
    """Against gradients written out by torch.func: time, and memory that grows."""
    model, x = mlp(), inputs(50, 784, dtype=torch.float32)
    parameters = {k: p.detach() for k, p in model.named_parameters()}

    def written_out() -> torch.Tensor:
        def f(p: dict[str, torch.Tensor], t: torch.Tensor) -> torch.Tensor:
            return functional_call(model, p, (t[None],))[0]

        parts = vmap(jacrev(f), (None, 0))(parameters, x)
        return sum(torch.einsum("icp,jcp->ij", j.flatten(2), j.flatten(2)) for j in parts.values())

    def ours() -> torch.Tensor:
        return empirical_ntk(model, x)

    notes = {}
    for name, run in (("corollary", ours), ("torch.func", written_out)):  # the small one first
        empirical_ntk(model, x[:2])  # what the first call of all loads does not count
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = run()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        notes[name] = f"{grown:.0f} MiB more at the peak"
    gap = float((found - ours()).abs().max() / found.abs().max())
    return race(
        "Trace of the tangent kernel, n = 50",
        {"corollary": ours, "torch.func": written_out},
        reference="torch.func",
        rounds=2,
        notes=notes,
        facts={"disagreement": f"{gap:.1e}"},
    )


def growth() -> Race:
    """Up to two thousand inputs, trace: how time grows."""
    model, laps = mlp(), []
    for n in (500, 1000, 2000):
        x = inputs(n, 784, dtype=torch.float32)
        start = time.process_time()
        empirical_ntk(model, x)
        spent = time.process_time() - start
        first = laps[0].seconds if laps else spent
        laps.append(Lap(f"n = {n}", spent, spent, first / spent, None))
    return Race("Trace of the tangent kernel over n", "n = 500", 1, tuple(laps), {"outputs": 10})


RACES = (jacobians, mlp_full, mlp_trace, cnn_full, cnn_trace, growth)
