import json
import random
from itertools import pairwise

import pytest

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.pairs import PairTable
from corollary.theory.sequences.tokenizers.pipeline import Vocabulary


def words(seed: int) -> str:
    """Random words over few letters: many ties, many overlaps."""
    r = random.Random(seed)
    letters = "abcdefgh"[: r.randint(2, 8)]
    lengths = (r.randint(1, 12) for _ in range(r.randint(1, 60)))
    return " ".join("".join(r.choice(letters) for _ in range(n)) for n in lengths)


def spelled(tokenizer: BPETokenizer) -> list[list[str]]:
    return [[tokenizer.vocabulary.token(i) for i in pair] for pair in tokenizer.merges]


def by_rescanning(text: str, merges: int) -> list[tuple[str, str]]:
    """The definition: count all pairs anew before each merge."""
    parts, learned = list(text), []
    for _ in range(merges):
        pairs = list(zip(parts, parts[1:], strict=False))
        best = max(set(pairs), key=pairs.count)
        learned.append(best)
        out = []
        while parts:
            n = 2 if tuple(parts[:2]) == best else 1
            out.append("".join(parts[:n]))
            parts = parts[n:]
        parts = out
    return learned


def test_the_merges_of_the_example_are_those_made_by_hand():
    tokenizer = BPETokenizer.train("aaabdaaabac", vocab_size=8)
    assert spelled(tokenizer) == [["a", "a"], ["a", "b"], ["aa", "ab"]]
    assert tokenizer.tokens("aaabdaaabac") == ["aaab", "d", "aaab", "a", "c"]


def test_the_vocabulary_is_the_base_and_the_merges():
    tokenizer = BPETokenizer.train("aaabdaaabac", vocab_size=8)
    assert len(tokenizer.vocabulary) == 5 + 3 == tokenizer.base + len(tokenizer.merges)
    bytes_too = BPETokenizer.train("aaabdaaabac", vocab_size=259, byte_level=True)
    assert (bytes_too.base, len(bytes_too.merges)) == (256, 3)


def test_without_ties_the_merges_are_those_of_the_definition():
    text = "a" * 9 + "b" * 7 + "ab" * 20 + "abc" * 11
    assert [tuple(m) for m in spelled(BPETokenizer.train(text, 7))] == by_rescanning(text, 3)


@pytest.mark.parametrize("seed", range(40))
def test_merges_and_encodings_are_those_of_the_tokenizers_library(seed):
    hf = pytest.importorskip("tokenizers")
    text, size = words(seed), random.Random(seed).randint(12, 60)
    ours = BPETokenizer.train(text, size)
    peer = hf.Tokenizer(hf.models.BPE(unk_token="[UNK]"))
    peer.pre_tokenizer = hf.pre_tokenizers.Split(" ", "merged_with_next")
    trainer = hf.trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, special_tokens=["[UNK]"], show_progress=False
    )
    peer.train_from_iterator([text], trainer)
    assert json.loads(peer.to_str())["model"]["merges"] == spelled(ours)
    for sample in (text, words(seed + 1000)):
        assert peer.encode(sample).tokens == ours.tokens(sample)


def test_bytes_are_encoded_as_by_the_tokenizers_library():
    hf = pytest.importorskip("tokenizers")
    text = "Grüße, the cat and the hat: 日本 the end. " * 3
    ours = BPETokenizer.train(text, 300, byte_level=True)
    peer = hf.Tokenizer(hf.models.BPE())
    peer.pre_tokenizer = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = hf.trainers.BpeTrainer(
        vocab_size=300,
        min_frequency=2,
        show_progress=False,
        initial_alphabet=hf.pre_tokenizers.ByteLevel.alphabet(),
    )
    peer.train_from_iterator([text], trainer)
    assert len(peer.encode(text).ids) == len(ours.encode(text))


def test_ties_go_to_the_smaller_letters_whatever_the_order_of_the_words():
    orders = ("ab cd ef ab cd ef", "ef cd ab ef cd ab", "cd ef ab ab cd ef")
    firsts = [spelled(BPETokenizer.train(f" {text}", 10))[:2] for text in orders]
    assert firsts == [[[" ", "a"], [" ", "c"]]] * 3


def test_a_long_word_is_encoded_in_little_more_than_linear_time():
    tokenizer = BPETokenizer.train("ab" * 64 + " aab", 12, min_count=1)
    assert tokenizer.decode(tokenizer.encode("ab" * 50_000)) == "ab" * 50_000


@pytest.mark.parametrize("seed", range(10))
def test_pair_counts_kept_under_merges_are_those_counted_anew(seed):
    r = random.Random(seed)
    drawn = ["".join(r.choices("abc", k=r.randint(1, 12))) for _ in range(9)]
    table = PairTable({word: r.randint(1, 5) for word in drawn})
    for new in "zyxwv":
        if not table.counts:
            break
        pair = max(table.counts, key=lambda p: (table.counts[p], p))
        expected = [word.replace(pair, new) for word in table.words]
        table.merge(pair, new)
        assert table.words == expected
        recount: dict[str, int] = {}
        for word, weight in zip(table.words, table.weights, strict=True):
            for a, b in pairwise(word):
                recount[a + b] = recount.get(a + b, 0) + weight
        assert table.counts == recount


def test_a_merge_into_nothing_is_refused():
    with pytest.raises(InputError, match="builds 'ab'"):
        BPETokenizer(Vocabulary(("[UNK]", "a", "b")), merges=((1, 2),))
