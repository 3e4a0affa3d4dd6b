import gzip
import hashlib
import os
import struct
import urllib.request
from pathlib import Path

import pytest
import torch

from corollary.data import files, real
from corollary.data.files import DataFile
from corollary.errors import DataUnavailableError, InputError

needs_data = pytest.mark.skipif(
    not os.environ.get("COROLLARY_DATA"), reason="COROLLARY_DATA names no folder with real data"
)
WORDS = b"to be or not to be"
FILE = DataFile("plays/words.txt", hashlib.sha256(WORDS).hexdigest(), ("http://a/", "http://b/"))


@pytest.fixture
def no_data(monkeypatch):
    monkeypatch.delenv("COROLLARY_DATA", raising=False)
    monkeypatch.delenv("COROLLARY_OFFLINE", raising=False)


def put(folder: Path, content: bytes = WORDS) -> None:
    (folder / "plays").mkdir(parents=True)
    (folder / "plays" / "words.txt").write_bytes(content)


def answers(monkeypatch, table):
    asked = []

    def download(address):
        asked.append(address)
        if isinstance(table[address], Exception):
            raise table[address]
        return table[address]

    monkeypatch.setattr(files, "_download", download)
    return asked


def test_the_named_folder_comes_first(no_data, monkeypatch, tmp_path):
    put(tmp_path)
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    asked = answers(monkeypatch, {})
    assert FILE.content() == WORDS and asked == []


def test_a_file_is_fetched_once_and_kept(no_data, monkeypatch):
    asked = answers(monkeypatch, {"http://a/words.txt": WORDS})
    assert FILE.content() == WORDS and FILE.content() == WORDS
    assert asked == ["http://a/words.txt"]
    assert (files.cache_folder() / "data/plays/words.txt").read_bytes() == WORDS


def test_the_next_address_is_tried_when_one_is_dead_or_wrong(no_data, monkeypatch):
    for first in (OSError("no route"), b"<html>moved</html>"):
        asked = answers(monkeypatch, {"http://a/words.txt": first, "http://b/words.txt": WORDS})
        assert FILE.content() == WORDS and len(asked) == 2
        (files.cache_folder() / "data/plays/words.txt").unlink()


def test_what_to_put_where_is_said_when_nothing_helps(no_data, monkeypatch):
    table = {"http://a/words.txt": OSError("no route"), "http://b/words.txt": b"other"}
    answers(monkeypatch, table)
    with pytest.raises(DataUnavailableError) as caught:
        FILE.content()
    message = str(caught.value)
    for part in ("plays/words.txt", "no route", "not the expected content", "COROLLARY_DATA"):
        assert part in message
    assert "\n" not in message
    assert not files.cache_folder().joinpath("data/plays/words.txt").exists()


def test_offline_means_no_request(no_data, monkeypatch):
    monkeypatch.setenv("COROLLARY_OFFLINE", "1")
    asked = answers(monkeypatch, {})
    with pytest.raises(DataUnavailableError, match="COROLLARY_OFFLINE is set"):
        FILE.content()
    assert asked == []


def test_a_damaged_file_is_named_and_not_used(no_data, monkeypatch, tmp_path):
    put(tmp_path, WORDS[:-1])
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match=r"plays/words\.txt is damaged"):
        FILE.content()


def test_a_connection_cut_short_is_an_ordinary_failure(no_data, monkeypatch):
    from http.client import IncompleteRead

    class Answer:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def read(self):
            raise IncompleteRead(b"to be")

    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: Answer())
    with pytest.raises(DataUnavailableError, match="IncompleteRead"):
        FILE.content()


def idx(tensor):
    head = bytes([0, 0, 8, tensor.dim()]) + struct.pack(f">{tensor.dim()}I", *tensor.shape)
    return head + tensor.numpy().tobytes()


def test_idx_files_are_read_back():
    tensor = torch.arange(24, dtype=torch.uint8).reshape(2, 3, 4)
    assert torch.equal(real.read_idx(idx(tensor)), tensor)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an idx file"),
        (b"\x80\x04pickle", "not an idx file"),
        (bytes([0, 0, 8, 9, 1]), "not an idx file"),
        (idx(torch.zeros(3, dtype=torch.uint8))[:-1], "promises 3 values, but the file has 2"),
    ],
)
def test_what_is_not_idx_is_refused(content, words):
    with pytest.raises(DataUnavailableError, match=words):
        real.read_idx(content)


def test_images_come_as_numbers_from_0_to_1_with_whole_labels(no_data, monkeypatch, tmp_path):
    pixels = torch.tensor([[[0, 255], [51, 102]]], dtype=torch.uint8)
    table = {}
    for part, tensor in (("x", pixels), ("y", torch.tensor([7], dtype=torch.uint8))):
        content = gzip.compress(idx(tensor))
        (tmp_path / part).write_bytes(content)
        table["test", part] = DataFile(part, hashlib.sha256(content).hexdigest(), ())
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    monkeypatch.setattr(real, "MNIST", table)
    x, y = real.mnist("test")
    torch.testing.assert_close(x, torch.tensor([[[0.0, 1.0], [0.2, 0.4]]]))
    assert y.tolist() == [7] and y.dtype == torch.int64


def test_a_file_that_cannot_be_unpacked_is_named(no_data, monkeypatch, tmp_path):
    (tmp_path / "x").write_bytes(WORDS)
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match="x cannot be unpacked"):
        real._unpacked(DataFile("x", FILE.sha256, ()))


def test_an_unknown_split_is_refused():
    for loader in (real.mnist, real.fashion_mnist, real.digits):
        with pytest.raises(InputError, match="'train' or 'test', got 'valid'"):
            loader("valid")


def test_digits_need_no_files(no_data):
    x, y = real.digits("train")
    assert x.shape == (1437, 8, 8) and (float(x.min()), float(x.max())) == (0.0, 1.0)
    counts = torch.bincount(torch.cat([y, real.digits("test")[1]]))
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


@needs_data
def test_mnist_is_what_it_is_known_to_be():
    x, y = real.mnist()
    assert x.shape == (60_000, 28, 28) and y.shape == (60_000,)
    assert float(x.mean()) == pytest.approx(0.1307, abs=5e-5)
    assert float(x.std()) == pytest.approx(0.3081, abs=5e-5)
    counts = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert torch.bincount(y).tolist() == counts
    assert y[:5].tolist() == [5, 0, 4, 1, 9]
    assert real.mnist("test")[0].shape == (10_000, 28, 28)
    assert float(real.low_or_high(y).mean()) == pytest.approx(2 * sum(counts[:5]) / 60_000 - 1)


@needs_data
def test_fashion_mnist_has_equal_classes():
    for split, size in (("train", 6000), ("test", 1000)):
        x, y = real.fashion_mnist(split)
        assert x.shape == (10 * size, 28, 28)
        assert torch.bincount(y).tolist() == [size] * 10


@needs_data
def test_tiny_shakespeare_has_65_characters():
    text = real.tinyshakespeare()
    assert len(text) == 1_115_394 and len(set(text)) == 65
    assert text.startswith("First Citizen:")
