from collections import Counter

import pytest

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.pipeline import Vocabulary
from corollary.theory.sequences.tokenizers.wordpiece import (
    INSIDE,
    SPECIALS,
    WordPieceTokenizer,
    lift,
)

CORPUS = "hug hug hug hugs hugs pun pun bun bun bun pug pug low lower lowest newest widest " * 3


def by_rescanning(words: Counter, merges: int) -> list[str]:
    """The definition: all scores anew before each merge."""
    cut = {w: [w[0], *(INSIDE + c for c in w[1:])] for w in words}
    made = []
    for _ in range(merges):
        symbols, pairs = Counter(), Counter()
        for w, n in words.items():
            for s in cut[w]:
                symbols[s] += n
            for p in zip(cut[w], cut[w][1:], strict=False):
                pairs[p] += n
        best = max(pairs, key=lambda p: lift(pairs[p], symbols[p[0]], symbols[p[1]]))
        top = lift(pairs[best], symbols[best[0]], symbols[best[1]])
        tied = [p for p in pairs if lift(pairs[p], symbols[p[0]], symbols[p[1]]) == top]
        assert len(tied) == 1, "the test needs a corpus without ties"
        made.append(best[0] + best[1].removeprefix(INSIDE))
        for w, parts in cut.items():
            out = []
            while parts:
                n = 2 if tuple(parts[:2]) == best else 1
                out.append(made[-1] if n == 2 else parts[0])
                parts = parts[n:]
            cut[w] = out
    return made


def test_the_longest_match_cuts_unaffable():
    vocabulary = Vocabulary((*SPECIALS, "un", "u", "##n", "##aff", "##able", "##a"))
    tokenizer = WordPieceTokenizer(vocabulary)
    assert tokenizer.tokens("unaffable") == ["un", "##aff", "##able"]
    assert tokenizer.tokens("Unaffable?") == ["un", "##aff", "##able", "[UNK]"]


def test_a_word_that_cannot_be_cut_is_unknown_as_a_whole():
    tokenizer = WordPieceTokenizer(Vocabulary((*SPECIALS, "un", "##aff")))
    assert tokenizer.tokens("unaffable") == ["[UNK]"]
    assert tokenizer.tokens("un" * 60) == ["[UNK]"], "longer than 100 characters"


def test_merges_have_the_largest_lift():
    words = Counter({"hugs": 20, "pun": 7, "bin": 5, "low": 3, "lax": 11, "tax": 2})
    text = " ".join(w for w, n in words.items() for _ in range(n))
    expected = by_rescanning(words, 3)
    base = len(SPECIALS) + len({s for w in words for s in (w[0], *(INSIDE + c for c in w[1:]))})
    tokenizer = WordPieceTokenizer.train(text, base + 3, min_count=1)
    assert list(tokenizer.vocabulary.tokens[base:]) == expected


def test_it_differs_from_byte_pair_encoding():
    """ax is frequent because a and x are; qu is rare, but q never comes without u."""
    text = "axbaxcaxdax abxa axxa qu qu"
    bpe = BPETokenizer.train(text, 9 + 1)
    wordpiece = WordPieceTokenizer.train(text, len(SPECIALS) + 8 + 1)
    assert bpe.vocabulary.tokens[-1] == "ax"
    assert wordpiece.vocabulary.tokens[-1] == "qu"


def test_it_encodes_as_the_tokenizers_library_does():
    hf = pytest.importorskip("tokenizers")
    ours = WordPieceTokenizer.train(CORPUS, 60)
    peer = hf.Tokenizer(hf.models.WordPiece(dict(ours.vocabulary.ids), unk_token="[UNK]"))
    peer.normalizer = hf.normalizers.BertNormalizer(strip_accents=False)
    peer.pre_tokenizer = hf.pre_tokenizers.BertPreTokenizer()
    for text in (CORPUS, "Lowest, hugest puns! tug", "slow west-side hug's zoo", "", "$5 a+b ^_^"):
        assert peer.encode(text).ids == ours.encode(text)


def test_the_input_of_bert_has_its_special_tokens_and_segments():
    tokenizer = WordPieceTokenizer.train(CORPUS, 60)
    ids, segments = tokenizer.pair("hug", "pun low")
    tokens = [tokenizer.vocabulary.token(i) for i in ids]
    assert (tokens[0], tokens.count("[SEP]"), tokens[-1]) == ("[CLS]", 2, "[SEP]")
    assert segments == [0] * (tokens.index("[SEP]") + 1) + [1] * (len(ids) - segments.count(0))
    assert tokenizer.decode(ids) == "hug pun low"
    assert tokenizer.pair("hug")[1] == [0] * 3


def test_counts_of_zero_have_no_lift():
    with pytest.raises(InputError, match="positive"):
        lift(0, 1, 1)
