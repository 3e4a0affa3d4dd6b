"""Cost over size: each instrument at four sizes, and the exponent that its docstring states.

The exponent is the slope of log CPU time over log size at the three largest sizes, where set-up
counts least. It may lie below what is stated (a fixed cost is left) and above by at most SLACK:
working sets outgrow the caches, and the minimum of a few runs scatters by a tenth.

    python benchmarks/scaling_curves.py [--json out/bench/scaling_curves.json]
"""

import math
import time
from collections.abc import Callable

import torch
from race import Lap, Race, main
from torch import Tensor, nn

from corollary.models.transformers.gpt import GPT
from corollary.theory.kernels.empirical.ntk import empirical_ntk
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.landscape.curvature import (
    Landscape,
    gauss_newton,
    hessian,
    kfac,
    noise_scale,
    spectral_density,
    top_eigenpairs,
    trace,
)
from corollary.theory.robustness.certificates.certifier import Certifier

SLACK = 0.3
RUNS = 3
Run = Callable[[], object]


def curve(title: str, over: str, stated: float, sizes: tuple[int, ...], at: Callable) -> Race:
    """``at(size)`` prepares a run; the minimum of a few counts."""
    seconds = [fastest(at(size)) for size in sizes]
    slope = fitted(sizes[1:], seconds[1:])
    laps = tuple(
        Lap(f"{size:,} {over}", spent, spent, seconds[0] / spent, None)
        for size, spent in zip(sizes, seconds, strict=True)
    )
    facts = {
        "over": over,
        "sizes": list(sizes),
        "exponent": round(slope, 2),
        "stated": stated,
        "as stated": slope <= stated + SLACK,
    }
    return Race(title, laps[0].name, RUNS, laps, facts)


def fastest(run: Run) -> float:
    run()
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def fitted(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """The slope of a line through the logarithms."""
    x, y = [math.log(s) for s in sizes], [math.log(s) for s in seconds]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return covariance / sum((a - mx) ** 2 for a in x)


def landscape(n: int, width: int = 256) -> Landscape:
    torch.manual_seed(0)
    layers = nn.Linear(128, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
    data = torch.randn(n, 128), torch.randint(0, 10, (n,))
    return Landscape(nn.Sequential(*layers, nn.Linear(width, 10)), nn.CrossEntropyLoss(), data)


def product(make: Callable, **size: int) -> Run:
    A = make(landscape(**size))
    v = torch.ones(A.size)
    return lambda: A @ v


EXAMPLES = (500, 1000, 2000, 4000)
WIDTHS = (128, 256, 512, 1024)


def hessian_over_examples() -> Race:
    return curve("Hessian product", "examples", 1, EXAMPLES, lambda n: product(hessian, n=n))


def hessian_over_width() -> Race:
    at = lambda w: product(hessian, n=256, width=w)  # noqa: E731
    return curve("Hessian product over width", "units per layer", 2, WIDTHS, at)


def gauss_newton_over_examples() -> Race:
    at = lambda n: product(gauss_newton, n=n)  # noqa: E731
    return curve("Gauss-Newton product", "examples", 1, EXAMPLES, at)


def trace_over_examples() -> Race:
    def at(n: int) -> Run:
        place = landscape(n)
        return lambda: trace(place, rtol=1e-9, max_products=20)

    return curve("Trace, 20 products", "examples", 1, EXAMPLES, at)


def density_over_examples() -> Race:
    def at(n: int) -> Run:
        place = landscape(n)
        return lambda: spectral_density(place, probes=2, steps=6)

    return curve("Spectral density, 2 x 6 products", "examples", 1, EXAMPLES, at)


def eigenpair_over_examples() -> Race:
    def at(n: int) -> Run:
        place = landscape(n)
        return lambda: top_eigenpairs(place, 1, tol=0.1, look=0)

    return curve("Largest eigenpair to 10 %", "examples", 1, EXAMPLES, at)


def kfac_over_examples() -> Race:
    def at(n: int) -> Run:
        place = landscape(n)
        return lambda: kfac(place)

    return curve("KFAC", "examples", 1, EXAMPLES, at)


def noise_over_groups() -> Race:
    place = landscape(2000)
    at = lambda g: lambda: noise_scale(place, groups=g, group_size=32)  # noqa: E731
    return curve("Gradient noise scale", "groups", 1, (8, 16, 32, 64), at)


def tangent_kernel_over_inputs() -> Race:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))

    def at(n: int) -> Run:
        x = torch.randn(n, 64)
        return lambda: empirical_ntk(model, x, mode="trace")

    return curve("Tangent kernel of an MLP, trace", "inputs", 2, (250, 500, 1000, 2000), at)


def wide_kernel_over_inputs() -> Race:
    net = network(Dense(2**0.5), Relu(), Dense(2**0.5), Relu(), Dense(2**0.5))

    def at(n: int) -> Run:
        x = torch.randn(n, 64, dtype=torch.float32)
        return lambda: net.kernel(x)

    return curve("Kernel of an infinitely wide MLP", "inputs", 2, (500, 1000, 2000, 4000), at)


def decoding_over_tokens() -> Race:
    model = GPT(64, 256, 4, 2, max_len=600, dtype=torch.float32).eval()
    prompt = torch.zeros(1, 1, dtype=torch.int64)
    at = lambda n: lambda: model.generate(prompt, n)  # noqa: E731
    return curve("Greedy decoding with a memory", "tokens", 1, (64, 128, 256, 512), at)


def bounds_over_images(method: str, sizes: tuple[int, ...]) -> Race:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).eval()

    def at(n: int) -> Run:
        x = torch.rand(n, 64)
        y: Tensor = net(x).argmax(1)
        certify = Certifier(net, x)
        return lambda: certify.margins(x, y, 0.01, method)

    return curve(f"{method.upper()} bounds of an MLP", "inputs", 1, sizes, at)


def ibp_over_images() -> Race:
    return bounds_over_images("ibp", (500, 1000, 2000, 4000))


def crown_over_images() -> Race:
    return bounds_over_images("crown", (50, 100, 200, 400))


if __name__ == "__main__":
    main(
        hessian_over_examples,
        hessian_over_width,
        gauss_newton_over_examples,
        trace_over_examples,
        density_over_examples,
        eigenpair_over_examples,
        kfac_over_examples,
        noise_over_groups,
        tangent_kernel_over_inputs,
        wide_kernel_over_inputs,
        decoding_over_tokens,
        ibp_over_images,
        crown_over_images,
    )
