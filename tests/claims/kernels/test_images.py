"""Finite networks against their kernels on images: MNIST where its files are, else small digits."""

import pytest
import torch
from torch import nn
from torch.nn.functional import mse_loss, one_hot

from corollary.core import generator
from corollary.data.mnist_binary import mnist_or_digits
from corollary.theory.kernels.empirical import empirical_ntk, target_alignment
from corollary.theory.kernels.infinite import from_module
from corollary.theory.kernels.learning import ntk_regress
from corollary.train import fit

N, TESTED = 400, 1000


@pytest.fixture(scope="module")
def images():
    """Training images and labels, test images and labels; centred and of unit spread."""
    train, test = mnist_or_digits("train"), mnist_or_digits("test")
    chosen = torch.randperm(len(train.x), generator=generator(0, "images"))[:N]
    x, at = train.x[chosen].float(), test.x[:TESTED].float()
    mean, spread = x.mean(), x.std()
    return (x - mean) / spread, train.y[chosen], (at - mean) / spread, test.y[:TESTED]


def layers(*sizes):
    torch.manual_seed(0)
    pairs = zip(sizes[:-1], sizes[1:], strict=True)
    return nn.Sequential(*[m for a, b in pairs for m in (nn.Linear(a, b), nn.ReLU())][:-1])


def targets(labels):
    return one_hot(labels.long(), 10).float() - 0.1


def trained(model, x, labels, steps):
    adam = lambda p: torch.optim.Adam(p, lr=2e-3)  # noqa: E731
    fit(model, (x, targets(labels)), mse_loss, adam, steps=steps, batch_size=64, rng=0)
    return model


def accuracy(outputs, labels):
    return float((outputs.argmax(1) == labels).double().mean())


def kernel_accuracy(model, x, labels, at, truth, which):
    net = from_module(model)
    ridge = 1e-2 * float(getattr(net.diagonal(x), which).mean())
    found = ntk_regress(net, x, targets(labels), at, ridge=ridge, which=which)
    return accuracy(found.prediction, truth)


def test_a_dense_network_reads_images_like_its_kernels_and_its_own_kernel_learns_the_labels(images):
    x, labels, at, truth = images
    model = layers(x.shape[1], 128, 128, 10)
    limits = [kernel_accuracy(model, x, labels, at, truth, which) for which in ("ntk", "nngp")]
    few = x[:100], targets(labels[:100])
    before = target_alignment(empirical_ntk(model, few[0]), few[1], centered=True)
    fixed = target_alignment(from_module(model).ntk(few[0]), few[1], centered=True)
    trained(model, x, labels, steps=300)
    with torch.no_grad():
        finite = accuracy(model(at), truth)
    assert min(limits) > 0.8 and finite > max(limits) - 0.04
    after = target_alignment(empirical_ntk(model, few[0]), few[1], centered=True)
    assert before == pytest.approx(fixed, abs=0.05)  # wide enough to start at its limit
    assert after > before + 0.1


@pytest.mark.slow
def test_a_convolutional_network_beats_the_kernel_of_dense_layers_on_mnist(images):
    x, labels, at, truth = images
    if x.shape[1] != 784:
        pytest.skip("the digits of 8 x 8 are too small for convolutions to matter")
    limit = kernel_accuracy(layers(784, 128, 128, 10), x, labels, at, truth, "ntk")
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)),
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 25, 10),
    )  # fmt: skip
    trained(model, x, labels, steps=400)
    with torch.no_grad():
        found = accuracy(model(at), truth)
    assert found > limit + 0.01
