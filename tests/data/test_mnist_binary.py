import os

import pytest
import torch

from corollary.data.mnist_binary import mnist_or_digits
from corollary.errors import InputError

needs_data = pytest.mark.skipif(
    not os.environ.get("COROLLARY_DATA"), reason="COROLLARY_DATA names no folder with real data"
)


def test_without_mnist_the_digits_take_its_place_and_say_so(monkeypatch):
    monkeypatch.delenv("COROLLARY_DATA", raising=False)
    train, test = (mnist_or_digits(split) for split in ("train", "test"))
    assert train.fallback and "digits" in train.name
    assert tuple(train.x.shape) == (1437, 64) and tuple(test.x.shape) == (360, 64)
    assert set(train.y.tolist()) == set(range(10)) == set(test.y.tolist())
    assert float(train.x.min()) >= 0 and float(train.x.max()) <= 1
    rows = {tuple(row) for row in train.x.tolist()}
    both = len(rows & {tuple(row) for row in test.x.tolist()})
    assert both <= 2  # no image is in both parts, but for twins among the writers


def test_the_two_classes_are_balanced():
    images = mnist_or_digits("train", binary=True, embedded=True)
    ten = mnist_or_digits("train", embedded=True)
    assert torch.equal(images.y, torch.where(ten.y < 5, 1.0, -1.0))
    assert abs(float(images.y.mean())) < 0.05


def test_other_parts_are_refused():
    with pytest.raises(InputError, match="split"):
        mnist_or_digits("validation", embedded=True)


@needs_data
def test_mnist_has_55000_training_images_in_two_balanced_classes():
    train, test = (mnist_or_digits(split, binary=True) for split in ("train", "test"))
    assert not train.fallback and train.name == "MNIST"
    assert tuple(train.x.shape) == (55_000, 784) and tuple(test.x.shape) == (10_000, 784)
    assert set(train.y.tolist()) == {-1.0, 1.0} and abs(float(train.y.mean())) < 0.05
