import hashlib
import io
import os
import sys
import tarfile

import pytest
import torch

from corollary.data.cifar10 import cifar10, cifar10_jpeg, read_records
from corollary.data.files import DataFile, data_folders
from corollary.errors import DataUnavailableError, InputError

module = sys.modules["corollary.data.cifar10"]  # corollary.data.cifar10 is the function


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    monkeypatch.setenv("COROLLARY_OFFLINE", "1")
    return tmp_path


def archive(records):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in (*module.BATCHES["train"], *module.BATCHES["test"]):
            info = tarfile.TarInfo(name)
            info.size = len(records)
            tar.addfile(info, io.BytesIO(records))
    return out.getvalue()


def put(folder, monkeypatch, content):
    (folder / "cifar10").mkdir()
    (folder / module.CIFAR10.path).write_bytes(content)
    sha = hashlib.sha256(content).hexdigest()
    monkeypatch.setattr(module, "CIFAR10", DataFile(module.CIFAR10.path, sha, ("http://a/",)))


def test_all_batches_of_a_split_are_read(folder, monkeypatch):
    put(folder, monkeypatch, archive(bytes([9]) + bytes(1024) + bytes([51]) * 2048))
    x, y = cifar10()
    assert x.shape == (5, 3, 32, 32) and y.tolist() == [9] * 5
    torch.testing.assert_close(x.mean(dim=(0, 2, 3)), torch.tensor([0.0, 0.2, 0.2]))
    assert len(cifar10("test")[1]) == 1


def test_what_is_no_archive_is_named(folder, monkeypatch):
    put(folder, monkeypatch, b"hello")
    with pytest.raises(DataUnavailableError, match=r"binary\.tar\.gz cannot be unpacked"):
        cifar10()


def test_absence_and_damage_are_reported(folder):
    with pytest.raises(DataUnavailableError, match=r"cifar10/.*not on this machine.*toronto"):
        cifar10()
    with pytest.raises(DataUnavailableError, match=r"subset\.zip is not on this machine.*Yoongi"):
        cifar10_jpeg()
    (folder / "cifar10").mkdir()
    (folder / module.CIFAR10.path).write_bytes(b"hello")
    with pytest.raises(DataUnavailableError, match="damaged"):
        cifar10()


def test_a_zip_with_other_images_is_refused(folder):
    import zipfile

    (folder / "cifar10-jpeg").mkdir()
    with zipfile.ZipFile(folder / module.JPEG_ZIP, "w") as out:
        out.writestr("test/cat/0000.jpg", b"not a cat")
    with pytest.raises(DataUnavailableError, match="damaged or not the expected file"):
        cifar10_jpeg("test")


@pytest.mark.parametrize("content", [b"", bytes(3072), bytes([10]) + bytes(3072)])
def test_wrong_records_are_refused(content):
    with pytest.raises(DataUnavailableError, match="bytes, got|labels from 0 to 9"):
        read_records(content)


def test_an_unknown_split_is_refused():
    for load in (cifar10, cifar10_jpeg):
        with pytest.raises(InputError, match="'train' or 'test'"):
            load("valid")


@pytest.mark.skipif(
    not os.environ.get("COROLLARY_DATA")
    or not any((f / module.JPEG_ZIP).is_file() for f in data_folders()),
    reason="the JPEG images are not on this machine",
)
def test_the_jpeg_images_have_equal_classes_and_known_means():
    x, y = cifar10_jpeg("test")
    assert x.shape == (5000, 3, 32, 32) and torch.bincount(y).tolist() == [500] * 10
    published = torch.tensor([0.4914, 0.4822, 0.4465])  # of the original training images
    torch.testing.assert_close(x.mean(dim=(0, 2, 3)), published, rtol=0, atol=0.01)
