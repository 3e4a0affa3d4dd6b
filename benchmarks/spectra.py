"""Spectra of weights against weightwatcher, and power laws against powerlaw.

A dense network of 9.5 million parameters, trained in part only by its spikes: every layer has a
planted signal of low rank. Peers that are not installed are left out (weightwatcher 0.7.7, powerlaw
2.0.0). The floor is the eigenvalues alone.

    python benchmarks/spectra.py [--json out/bench/spectra.json]
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Callable
from functools import cache

import torch
from race import Race, main, race
from torch import nn

from corollary.theory.generalization.weight_spectra.layers import eigenvalues, layers_of
from corollary.theory.generalization.weight_spectra.portrait import portrait
from corollary.theory.generalization.weight_spectra.power_law import power_law

WIDTHS = (1024, 2048, 2048, 1024, 1024, 100)


@cache
def network() -> nn.Module:
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for a, b in zip(WIDTHS, WIDTHS[1:], strict=False):
        layers += [nn.Linear(a, b), nn.ReLU()]
        scales = torch.logspace(0.3, 1.0, 12)  # of what a part needs to be seen
        signal = (
            torch.linalg.qr(torch.randn(b, 12)).Q * scales @ torch.linalg.qr(torch.randn(a, 12)).Q.T
        )
        layers[-2].weight.data += signal * (a * b) ** 0.25 / (3 * a) ** 0.5
    return nn.Sequential(*layers[:-1])


def alphas_and_norms() -> list[tuple[float, ...]]:
    """Exponent, stable rank and logarithms of norms of every layer."""
    found = []
    for layer in layers_of(network()):
        seen = portrait(layer)
        fit, norms = seen.power_law, seen.log_norms
        assert fit is not None and norms is not None, "the layers are large"
        found.append((fit.alpha, seen.stable_rank, norms.alpha, norms.weighted_alpha))
    return found


def eigenvalues_alone() -> None:
    for layer in layers_of(network()):
        eigenvalues(layer.matrix)


def watcher(**options: bool) -> Callable[[], list[tuple[float, ...]]] | None:
    """The same by weightwatcher, if it is installed."""
    try:
        with quiet():
            import weightwatcher
    except ImportError:
        print("weightwatcher is not installed")
        return None
    logging.getLogger("weightwatcher").setLevel(logging.ERROR)
    columns = ["alpha", "stable_rank", "log_alpha_norm", "alpha_weighted"]

    def run() -> list[tuple[float, ...]]:
        with quiet():
            table = weightwatcher.WeightWatcher(model=network()).analyze(**options)
        return [tuple(row) for row in table[columns].to_numpy(dtype=float)]

    return run


@contextlib.contextmanager
def quiet() -> object:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def spectra_race(title: str, **options: bool) -> Race:
    contenders: dict[str, Callable] = {"corollary": alphas_and_norms}
    notes = {}
    peer = watcher(**options)
    if peer is not None:
        contenders["weightwatcher"] = peer
        ours, theirs = (torch.tensor(run()) for run in (alphas_and_norms, peer))
        notes["weightwatcher"] = f"off by {float((theirs / ours - 1).abs().max()):.1g}"
    contenders["eigenvalues alone"] = eigenvalues_alone
    reference = "weightwatcher" if peer else "eigenvalues alone"
    parameters = sum(p.numel() for p in network().parameters())
    return race(
        title,
        contenders,
        reference=reference,
        floor="eigenvalues alone",
        rounds=3,
        notes=notes,
        facts={"parameters": f"{parameters:,}"},
    )


def tails() -> Race:
    """The peer fits tails and norms; we count spikes as well."""
    return spectra_race("Tails and norms of all layers")


def tails_and_spikes() -> Race:
    """Both fit the noise and count what is above it."""
    return spectra_race("Tails, norms, noise and spikes of all layers", mp_fit=True)


def fit_alone() -> Race:
    """One tail of 2000 values, eigenvalues given."""
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(2000, generator=rng, dtype=torch.float64).exp()
    contenders: dict[str, Callable] = {
        "corollary": lambda: power_law(x),
        "corollary, without numba": lambda: power_law(x, backend="torch"),
    }
    try:
        with quiet():
            from weightwatcher.WW_powerlaw import WWFit

        contenders["weightwatcher"] = lambda: WWFit(x.numpy().copy())
    except ImportError:
        print("weightwatcher is not installed")
    try:
        with quiet():
            import powerlaw

        def peer() -> float:
            with quiet():
                return float(powerlaw.Fit(x.numpy(), verbose=False).power_law.alpha)

        contenders["powerlaw"] = peer
    except ImportError:
        print("powerlaw is not installed")
    reference = next(
        n for n in ("weightwatcher", "powerlaw", "corollary, without numba") if n in contenders
    )
    return race(
        "Power law with its start",
        contenders,
        reference=reference,
        rounds=3,
        facts={"values": len(x)},
    )


if __name__ == "__main__":
    main(tails, tails_and_spikes, fit_alone)
