"""Ten thousand handwritten digits learned by an infinitely wide network, end to end."""

import resource

import pytest
import torch

from corollary.core.progress import progress_bar
from corollary.data.real import digits, mnist
from corollary.errors import DataUnavailableError
from corollary.theory.kernels.infinite import Dense, Relu, network
from corollary.theory.kernels.learning import ntk_regress

NET = network(*[Dense(2**0.5, 0.1), Relu()] * 2, Dense(2**0.5))


def learned(x, y, at, labels, **options) -> float:
    """Accuracy of one-hot regression on centred images."""
    targets = torch.nn.functional.one_hot(y, 10).to(x.dtype) - 0.1
    found = ntk_regress(NET, x.flatten(1), targets, at.flatten(1), **options)
    return float((found.prediction.argmax(1) == labels).double().mean())


def test_an_infinitely_wide_network_reads_small_digits():
    (x, y), (at, labels) = digits("train"), digits("test")
    accuracy = learned(x[:400].double(), y[:400], at.double(), labels)
    assert accuracy > 0.88


@pytest.mark.slow
def test_ten_thousand_digits_fit_in_bounded_memory():
    try:
        (x, y), (at, labels) = mnist("train"), mnist("test")
    except DataUnavailableError as error:
        pytest.skip(str(error))
    n = 10_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with progress_bar(1.0) as progress:
        accuracy = learned(
            x[:n],
            y[:n],
            at[:2000],
            labels[:2000],
            ridge=0.1,
            solver="cg",
            tolerance=1e-3,
            progress=progress,
        )
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert accuracy > 0.95
    assert grown < 4 * n * n / 2**20 + 400  # MiB: the matrix once, and little else
