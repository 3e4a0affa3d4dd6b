"""Real data sets: handwritten digits, pieces of clothing, Shakespeare.

Images come as float32 in [0, 1] with their labels, ready for ``fit(model, (x, y), ...)``. Where
files are looked for and what is fetched is said in :mod:`corollary.data.files`.

:source: LeCun, Bottou, Bengio, Haffner (1998), Gradient-based learning applied to document
    recognition; Xiao, Rasul, Vollgraf (2017), Fashion-MNIST; Karpathy (2015), The unreasonable
    effectiveness of recurrent neural networks; Alpaydin, Kaynak (1998), Optical recognition of
    handwritten digits.
"""

import gzip
import math
import struct
import zlib

import torch
from jaxtyping import Float, Int, UInt8
from torch import Tensor

from corollary.data.files import DataFile
from corollary.errors import DataUnavailableError, InputError, MissingExtraError

_MNIST_HOMES = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
_FASHION_HOMES = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
)
_IDX = {
    ("train", "x"): "train-images-idx3-ubyte.gz",
    ("train", "y"): "train-labels-idx1-ubyte.gz",
    ("test", "x"): "t10k-images-idx3-ubyte.gz",
    ("test", "y"): "t10k-labels-idx1-ubyte.gz",
}
_MNIST_SHA = {
    ("train", "x"): "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ("train", "y"): "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ("test", "x"): "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    ("test", "y"): "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}
_FASHION_SHA = {
    ("train", "x"): "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
    ("train", "y"): "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
    ("test", "x"): "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
    ("test", "y"): "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
}
MNIST = {k: DataFile(f"mnist/{_IDX[k]}", sha, _MNIST_HOMES) for k, sha in _MNIST_SHA.items()}
FASHION_MNIST = {
    k: DataFile(f"fashion-mnist/{_IDX[k]}", sha, _FASHION_HOMES) for k, sha in _FASHION_SHA.items()
}
TINY_SHAKESPEARE = DataFile(
    "tinyshakespeare/input.txt",
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    ("https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",),
)

Labelled = tuple[Float[Tensor, "n height width"], Int[Tensor, " n"]]


def mnist(split: str = "train") -> Labelled:
    """Handwritten digits: 60,000 images of 28 x 28 for training, 10,000 for testing."""
    return _images(MNIST, split)


def fashion_mnist(split: str = "train") -> Labelled:
    """Pieces of clothing in ten classes, in the format and numbers of MNIST."""
    return _images(FASHION_MNIST, split)


def digits(split: str = "train") -> Labelled:
    """1,797 handwritten digits of 8 x 8 from scikit-learn, no download; the last 360 are the test.

    Example:
        >>> x, y = digits("test")
        >>> tuple(x.shape), int(y.max())
        ((360, 8, 8), 9)
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise MissingExtraError(
            "the digits come with scikit-learn, which is not installed; run pip install "
            "'corollary[data]'"
        ) from None
    rows = {"train": slice(0, 1437), "test": slice(1437, None)}[_split(split)]
    bunch = load_digits()
    x = torch.tensor(bunch.images[rows] / 16, dtype=torch.float32)
    return x, torch.tensor(bunch.target[rows], dtype=torch.int64)


def tinyshakespeare() -> str:
    """1,115,394 characters of Shakespeare's plays, 65 different ones."""
    return TINY_SHAKESPEARE.content().decode("utf-8")


def low_or_high(y: Int[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The two-class form of the digits: +1 for 0 to 4, -1 for 5 to 9.

    Example:
        >>> low_or_high(torch.tensor([0, 4, 5, 9])).tolist()
        [1.0, 1.0, -1.0, -1.0]
    """
    return torch.where(y < 5, 1.0, -1.0)


def read_idx(content: bytes, name: str = "the content") -> UInt8[Tensor, "..."]:
    """An array of bytes in the idx format of MNIST: magic number, sizes, values.

    Example:
        >>> read_idx(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9])).tolist()
        [7, 8, 9]
    """
    if len(content) < 4 or content[:3] != b"\0\0\x08" or len(content) < 4 + 4 * content[3]:
        raise DataUnavailableError(f"{name} is not an idx file of bytes")
    axes = content[3]
    shape = struct.unpack(f">{axes}I", content[4 : 4 + 4 * axes])
    values = bytearray(content[4 + 4 * axes :])  # a copy that torch may own
    if len(values) != math.prod(shape):
        raise DataUnavailableError(
            f"the header of {name} promises {math.prod(shape)} values, but the file has "
            f"{len(values)}"
        )
    return torch.frombuffer(values, dtype=torch.uint8).reshape(shape)


def _images(files: dict[tuple[str, str], DataFile], split: str) -> Labelled:
    x, y = (_unpacked(files[_split(split), part]) for part in "xy")
    return x.to(torch.float32) / 255, y.to(torch.int64)


def _unpacked(file: DataFile) -> UInt8[Tensor, "..."]:
    try:
        return read_idx(gzip.decompress(file.content()), file.path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataUnavailableError(f"{file.path} cannot be unpacked ({error})") from None


def _split(split: str) -> str:
    if split not in ("train", "test"):
        raise InputError(f"expected split to be 'train' or 'test', got {split!r}")
    return split
