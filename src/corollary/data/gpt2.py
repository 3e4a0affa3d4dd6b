"""GPT-2's tokenizer and token embeddings, from a folder of the user's.

The weights are half a gigabyte and are never fetched. Put ``vocab.json``, ``merges.txt`` and
``model.safetensors`` of the smallest GPT-2 into ``gpt2/`` below the folder that ``COROLLARY_DATA``
names. Without them :func:`embedding_report` says that it was skipped and shows the same table for
a small model of the library.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Listing 10.5 and Table 10.2;
    Radford, Wu, Child, Luan, Amodei, Sutskever (2019), Language models are unsupervised multitask
    learners.
:covers: gpt2-embedding-table
"""

import json
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.data.files import data_folders
from corollary.data.small_language import documents
from corollary.errors import DataUnavailableError
from corollary.theory.sequences.embedding_table import as_text, token_embedding_table
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.pipeline import Normalizer, Vocabulary

FILES = ("vocab.json", "merges.txt", "model.safetensors")
END_OF_TEXT = "<|endoftext|>"
SENTENCE = "Like a fish out of water"
IDS = (7594, 257, 5916, 503, 286, 1660)  # Table 10.2
NORMS = (3.2995, 2.5727, 3.2591, 2.7112, 2.5936, 3.0460)


def gpt2_folder() -> Path:
    """The folder with GPT-2's files, or :class:`DataUnavailableError` with what to put where."""
    for folder in data_folders():
        if all((folder / "gpt2" / name).is_file() for name in FILES):
            return folder / "gpt2"
    raise DataUnavailableError(
        f"GPT-2 is not on this machine: put {', '.join(FILES)} (from "
        "https://huggingface.co/openai-community/gpt2) into gpt2/ below a folder of your choice "
        "and set COROLLARY_DATA to that folder"
    )


def gpt2_tokenizer() -> BPETokenizer:
    """GPT-2's byte-pair encoding, read from ``vocab.json`` and ``merges.txt``."""
    folder, back = gpt2_folder(), _byte_letters()

    def plain(token: str) -> str:
        return token if token == END_OF_TEXT else "".join(back[c] for c in token)

    try:
        numbered = json.loads((folder / "vocab.json").read_text("utf-8"))
        tokens = [plain(token) for token in sorted(numbered, key=numbered.__getitem__)]
        lines = (folder / "merges.txt").read_text("utf-8").splitlines()
        pairs = [line.split(" ") for line in lines if line and not line.startswith("#version")]
        vocabulary = Vocabulary(tuple(tokens))
        merges = tuple((vocabulary.id(plain(a)), vocabulary.id(plain(b))) for a, b in pairs)
    except (KeyError, ValueError) as error:
        raise DataUnavailableError(
            f"{folder} does not contain the tokenizer of GPT-2 ({error})"
        ) from None
    specials = (END_OF_TEXT,) if END_OF_TEXT in vocabulary else ()
    return BPETokenizer(
        vocabulary,
        merges=merges,
        byte_level=True,
        specials=specials,
        normalizer=Normalizer(form=None),
    )


def gpt2_embeddings() -> Float[Tensor, "vocab d"]:
    """The token embeddings ``wte`` of GPT-2, 50257 x 768 for the smallest one."""
    from safetensors import SafetensorError, safe_open

    place = gpt2_folder() / "model.safetensors"
    try:
        with safe_open(place, framework="pt") as file:
            names = [name for name in file.keys() if name.endswith("wte.weight")]
            if not names:
                raise DataUnavailableError(f"{place} has no tensor called wte.weight")
            table: Tensor = file.get_tensor(names[0])
            return table
    except SafetensorError as error:
        raise DataUnavailableError(f"{place} cannot be read ({error})") from None


def embedding_report(text: str = SENTENCE) -> str:
    """The table of the notes; without GPT-2, the reason and the table of a small model.

    Example:
        >>> "Token ID" in embedding_report("the cat")
        True
    """
    try:
        tokenizer, table, head = gpt2_tokenizer(), gpt2_embeddings(), "GPT-2"
    except DataUnavailableError as why:
        tokenizer, table = small_model()
        head = f"skipped: {why}\nThe same table for a small model, not trained:"
    return f"{head}\n{as_text(token_embedding_table(text, table, tokenizer))}"


def small_model(d: int = 16) -> tuple[BPETokenizer, Float[Tensor, "vocab d"]]:
    """A byte-level tokenizer of the small language, and normal embeddings of length about 1."""
    rng = torch.Generator().manual_seed(0)
    texts = [sentence.text for document in documents(20, 5, rng=rng) for sentence in document]
    tokenizer = BPETokenizer.train(texts, 320, byte_level=True)
    size = len(tokenizer.vocabulary)
    return tokenizer, torch.randn(size, d, generator=rng, dtype=torch.float64) / d**0.5


def _byte_letters() -> dict[str, str]:
    """GPT-2 writes each byte as a printable letter; this is the way back to its character."""
    kept = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    kept += range(ord("®"), ord("ÿ") + 1)
    moved = [b for b in range(256) if b not in kept]  # spaces and controls, from 256 on
    return {chr(b): chr(b) for b in kept} | {chr(256 + i): chr(b) for i, b in enumerate(moved)}
