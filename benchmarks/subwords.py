"""Tokenizers against the ``tokenizers`` library: ``python benchmarks/subwords.py``.

The text is the source code of the package, about a megabyte, or the same with Cyrillic letters.
Both train the same merges, so the encodings have the same length, which is checked before the race.
"""

from pathlib import Path

from race import Race, main, race

import corollary
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.unigram import UnigramTokenizer
from corollary.theory.sequences.tokenizers.wordpiece import WordPieceTokenizer

SIZE = 3000


def source_text() -> str:
    """All modules of the package, one after the other."""
    files = sorted(Path(corollary.__file__).parent.rglob("*.py"))
    return "\n".join(file.read_text("utf-8") for file in files)[:1_000_000]


def cyrillic(text: str) -> str:
    """The text in another script: every letter is two bytes."""
    small = {ord("a") + i: 0x430 + i for i in range(26)}
    return text.translate(small | {ord("A") + i: 0x410 + i for i in range(26)})


def peer_bpe(text: str):
    """Their byte-level encoder, trained on the text."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    peer = Tokenizer(models.BPE())
    peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        min_frequency=2,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    peer.train_from_iterator([text], trainer)
    return peer


def training() -> Race:
    """Byte-pair encoding learned from a megabyte."""
    return trained("Byte-pair encoding, training", source_text())


def other_script() -> Race:
    """The same in letters of two bytes."""
    return trained("Byte-pair encoding, training, Cyrillic", cyrillic(source_text()))


def trained(title: str, text: str) -> Race:
    """Both train on the text."""
    return race(
        title,
        {
            "corollary": lambda: BPETokenizer.train(text, SIZE, byte_level=True),
            "tokenizers": lambda: peer_bpe(text),
        },
        reference="tokenizers",
        facts={"characters": len(text), "vocabulary": SIZE},
    )


def encoding() -> Race:
    """The megabyte encoded, without words remembered from before."""
    text = source_text()
    ours, peer = BPETokenizer.train(text, SIZE, byte_level=True), peer_bpe(text)
    assert len(ours.encode(text)) == len(peer.encode(text).ids), "the encodings differ"

    def afresh() -> list[int]:
        ours._seen.clear()
        return ours.encode(text)

    return race(
        "Byte-pair encoding, encoding",
        {"corollary": afresh, "tokenizers": lambda: peer.encode(text).ids},
        reference="tokenizers",
        facts={"characters": len(text), "tokens": len(ours.encode(text))},
    )


def word_pieces() -> Race:
    """WordPiece with our vocabulary: the longest match of every word."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    text = source_text()
    ours = WordPieceTokenizer.train(text, SIZE)
    peer = Tokenizer(models.WordPiece(dict(ours.vocabulary.ids), unk_token="[UNK]"))
    peer.normalizer = normalizers.BertNormalizer(strip_accents=False)
    peer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return race(
        "WordPiece, encoding",
        {"corollary": lambda: ours.encode(text), "tokenizers": lambda: peer.encode(text).ids},
        reference="tokenizers",
        facts={"characters": len(text), "tokens": len(ours.encode(text))},
    )


def unigrams() -> Race:
    """The most likely cut of every word, under our probabilities and the same cut into words."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    text = source_text()
    ours = UnigramTokenizer.train(text[:100_000], SIZE)
    pieces = [("[UNK]", 0.0), *ours.log_p.items()]
    peer = Tokenizer(models.Unigram(pieces, unk_id=0))
    gpt2 = r" ?\p{L}+|'(?:[sdmt]|ll|ve|re)| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    peer.pre_tokenizer = pre_tokenizers.Split(Regex(gpt2), "isolated")
    ids = ours.encode(text)
    return race(
        "Unigram, encoding",
        {"corollary": lambda: ours.encode(text), "tokenizers": lambda: peer.encode(text).ids},
        reference="tokenizers",
        facts={"characters": len(text), "tokens": len(ids), "theirs": len(peer.encode(text).ids)},
    )


if __name__ == "__main__":
    main(training, other_script, encoding, word_pieces, unigrams)
