"""Linear regions against their peer: ``python benchmarks/expressivity.py``.

The peer is relu_edge_subdivision (Berzins, 2023). It is a folder of scripts: clone it and name the
folder in RELU_EDGE_SUBDIVISION; without it the races are run between our own paths.
"""

import os
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from race import Race, main, race
from torch import nn

from corollary.core import generator
from corollary.models.folding import folding_layer
from corollary.theory.expressivity.regions.line import affine_pieces
from corollary.theory.expressivity.regions.plane import linear_regions


def he_network(*widths: int) -> nn.Sequential:
    """Hidden layers on two inputs, He's weights, biases of size 0.3."""
    rng, layers = generator(0, "benchmark", "regions"), []
    for before, n in zip((2, *widths), widths, strict=False):
        layer = nn.Linear(before, n, dtype=torch.float64)
        layer.weight.data = torch.randn(n, before, generator=rng).double() * (2 / before) ** 0.5
        layer.bias.data = 0.3 * torch.randn(n, generator=rng).double()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers)


def edge_subdivision(net: nn.Sequential) -> Callable[[], int] | None:
    """The peer on the same weights, in its own single precision; regions are E - V + 1."""
    folder = os.environ.get("RELU_EDGE_SUBDIVISION")
    if not folder:
        return None
    sys.path.insert(0, folder)
    from edge_subdivision import skeletal_subdivision
    from NN import Net

    linear = [layer for layer in net if isinstance(layer, nn.Linear)]
    peer = Net([2, *(layer.out_features for layer in linear)])
    for theirs, ours in zip(peer.fcs, linear, strict=True):
        theirs.load_state_dict(ours.state_dict())

    def run() -> int:
        with torch.no_grad():
            vertices, edges, _ = skeletal_subdivision(peer, device="cpu", verbose=False)
        return len(edges) - len(vertices) + 1

    return run


def regions(width: int) -> Race:
    """All regions of a network of depth 3 on the square [-1, 1]^2."""
    net = he_network(width, width, width)
    contenders: dict[str, Callable[[], Any]] = {
        f"corollary, {name}": lambda b=name: linear_regions(net, backend=b)
        for name in ("numba", "torch")
    }
    fast, plain = (run() for run in contenders.values())
    assert fast.count == plain.count, "the paths differ"
    before = linear_regions(net[:-2])  # what the last layer adds is not run through the network
    points = before.plane.points(before.cells.vertices)
    contenders["the products alone"] = lambda: fast.program.output(points)
    facts = {"widths": f"2-{width}-{width}-{width}", "regions": fast.count}
    peer, reference = edge_subdivision(net), "corollary, torch"
    if peer is not None:
        reference = "relu_edge_subdivision"
        facts["regions of the peer"] = peer()
        contenders[reference] = peer
    done = race(
        f"Linear regions, width {width}, depth 3",
        contenders,
        reference=reference,
        floor="the products alone",
        rounds=3,
        facts=facts,
        notes={"relu_edge_subdivision": "float32; also gives sign vectors, any dimension"},
    )
    speed = {f"regions/s, {lap.name}": round(fast.count / lap.seconds) for lap in done.laps[:2]}
    return replace(done, facts=facts | speed)


def width_32() -> Race:
    """Narrow."""
    return regions(32)


def width_128() -> Race:
    """Wide."""
    return regions(128)


def sawtooth() -> Race:
    """Ten million pieces of 24 folds on the line, on a part of [0, 1] that has so many."""
    teeth = nn.Sequential(*(folding_layer(1, 2) for _ in range(24)))
    end = 10_000_000 / 2**24
    count = affine_pieces(teeth, 0.0, end).count
    assert count == 10_000_000, f"{count} pieces"
    return race(
        "Ten million affine pieces, counted exactly",
        {"corollary": lambda: affine_pieces(teeth, 0.0, end).count},
        reference="corollary",
        rounds=2,
        facts={"pieces": count},
    )


def many() -> Race:
    """Half a million regions, and the memory they take; first, while the process is young."""
    net, found = he_network(420, 420, 420), []

    def run() -> None:
        found[:] = [linear_regions(net).count]

    done = race("Half a million regions", {"corollary": run}, reference="corollary", rounds=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # KiB to GiB
    facts = {"widths": "2-420-420-420", "regions": found[0], "peak GiB": round(peak, 2)}
    return replace(done, facts=facts)


if __name__ == "__main__":
    main(many, width_32, width_128, sawtooth)
