"""Kernels of infinitely wide networks."""

import multiprocessing
import resource
import time

import torch
from race import Lap, Race, pin_to_one_core, race

from corollary.theory.kernels.infinite import (
    Conv,
    Dense,
    Flatten,
    GlobalAvgPool,
    Kernels,
    Network,
    Relu,
    network,
)
from kernel_races.peer import against_peer, inputs


def mlp() -> Network:
    """Three hidden ReLU layers and a readout."""
    return network(*[Dense(2**0.5), Relu()] * 3, Dense(2**0.5))


def cnn(gather: Flatten | GlobalAvgPool) -> Network:
    """Five 3x3 convolutions with ReLU."""
    return network(*[Conv(2**0.5), Relu()] * 5, gather, Dense(2**0.5))


def mlp_case(dtype: torch.dtype, *, symmetric: bool) -> Race:
    """2000 x 2000 at d = 784."""
    net, bits = mlp(), 32 if dtype is torch.float32 else 64
    x, y = inputs(2000, 784, dtype=dtype), inputs(2001, 784, dtype=dtype)[:2000]
    second = None if symmetric else y
    fast, plain = (net.kernel(x, second, backend=b) for b in ("numba", "torch"))
    assert (fast.ntk - plain.ntk).abs().max() < (1e-4 if bits == 32 else 1e-12), "paths differ"
    kind = "xx" if symmetric else "xy"
    return against_peer(
        f"ReLU MLP, three hidden layers, float{bits}, K(x, {'x' if symmetric else 'y'})",
        f"mlp {bits} {kind}",
        {
            "corollary, numba": lambda: net.kernel(x, second, backend="numba"),
            "corollary, torch": lambda: net.kernel(x, second, backend="torch"),
            "x yᵀ alone": lambda: x @ (x if symmetric else y).T,
        },
        "x yᵀ alone",
    )


def mlp_float32_xy() -> Race:
    """Float32, two sets of inputs."""
    return mlp_case(torch.float32, symmetric=False)


def mlp_float32_xx() -> Race:
    """Float32, symmetric."""
    return mlp_case(torch.float32, symmetric=True)


def mlp_float64_xy() -> Race:
    """Float64, two sets of inputs."""
    return mlp_case(torch.float64, symmetric=False)


def mlp_float64_xx() -> Race:
    """Float64, symmetric."""
    return mlp_case(torch.float64, symmetric=True)


def cnn_flatten() -> Race:
    """128 images of 16 x 16 x 3."""
    net, x = cnn(Flatten()), inputs(128, 3, 16, 16, dtype=torch.float32)
    ours = {"corollary, numba": lambda: net.kernel(x, backend="numba")}
    return against_peer("CNN of depth 5, flatten, n = 128, float32", "cnn flatten 128", ours, None)


def cnn_pooled() -> Race:
    """Eight images, global average pooling."""
    net, x = cnn(GlobalAvgPool()), inputs(8, 3, 16, 16, dtype=torch.float32)
    ours = {"corollary, numba": lambda: net.kernel(x, backend="numba")}
    return against_peer("CNN of depth 5, global pooling, n = 8, float32", "cnn gap 8", ours, None)


def cnn_pooled_64() -> Race:
    """Sixty-four images: the peer would take minutes."""
    net, x = cnn(GlobalAvgPool()), inputs(64, 3, 16, 16, dtype=torch.float32)
    ours = {"corollary, numba": lambda: net.kernel(x, backend="numba")}
    return race(
        "CNN of depth 5, global pooling, n = 64", ours, reference="corollary, numba", rounds=1
    )


def large() -> Race:
    """N = 20,000 in float32, in a process of its own: what ran before has grown this one."""
    n = 20_000
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spent, grown = pool.apply(time_and_growth, (n,))
    lap = Lap("corollary, numba", spent, spent, 1.0, None, f"{grown:.0f} MiB beyond the outputs")
    return Race("ReLU MLP, n = 20,000, float32", "corollary, numba", 1, (lap,), {"n": n})


def time_and_growth(n: int) -> tuple[float, float]:
    """CPU seconds of K(x, x), and by how many MiB the process grows beyond inputs and outputs."""
    pin_to_one_core()
    net, x = mlp(), inputs(n, 784, dtype=torch.float32)
    out = Kernels(torch.zeros(n, n), torch.zeros(n, n))  # touched, so that only working space grows
    net.kernel(x[:600])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    net.kernel(x, out=out)
    spent = time.process_time() - start
    return spent, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


RACES = (
    mlp_float32_xy,
    mlp_float32_xx,
    mlp_float64_xy,
    mlp_float64_xx,
    cnn_flatten,
    cnn_pooled,
    cnn_pooled_64,
    large,
)
