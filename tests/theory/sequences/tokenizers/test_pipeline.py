import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.bpe import BPETokenizer
from corollary.theory.sequences.tokenizers.characters import CharacterTokenizer
from corollary.theory.sequences.tokenizers.pipeline import Normalizer, Vocabulary
from corollary.theory.sequences.tokenizers.unigram import UnigramTokenizer
from corollary.theory.sequences.tokenizers.wordpiece import WordPieceTokenizer
from corollary.theory.sequences.tokenizers.words import WordTokenizer, lossless_words

CORPUS = " ".join(f"{c} {c}{d}{c}" for c in string.printable for d in "ab")
ALL = {
    "characters": CharacterTokenizer.train(CORPUS),
    "bpe": BPETokenizer.train(CORPUS, 150),
    "bytes": BPETokenizer.train(CORPUS, 300, byte_level=True),
    "unigram": UnigramTokenizer.train(CORPUS, 150),
    "wordpiece": WordPieceTokenizer.train(CORPUS, 250),
}
printable = st.text(alphabet=string.printable, max_size=40)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60, deadline=None)
@given(text=printable)
def test_decoding_gives_back_the_normalised_text(name, text):
    tokenizer = ALL[name]
    assert tokenizer.decode(tokenizer.encode(text)) == tokenizer.normalizer(text)


@settings(max_examples=100, deadline=None)
@given(text=st.text())
def test_bytes_give_back_any_text(text):
    text = text.encode("utf-8", "ignore").decode()  # without lone surrogates
    assert ALL["bytes"].decode(ALL["bytes"].encode(text)) == ALL["bytes"].normalizer(text)


@settings(max_examples=100, deadline=None)
@given(text=st.text())
def test_normalising_twice_changes_nothing_more(text):
    normalizer = Normalizer(lowercase=True, isolate=True, squeeze=True)
    assert normalizer(normalizer(text)) == normalizer(text)


def test_words_give_back_words_they_know():
    tokenizer = WordTokenizer.train("the cat saw the dog")
    assert tokenizer.decode(tokenizer.encode(" the  dog\nsaw ")) == "the dog saw"
    assert tokenizer.tokens("the fish [UNK]") == ["the", "[UNK]", "[UNK]"]


@pytest.mark.parametrize("name", ["characters", "bpe", "unigram", "wordpiece"])
def test_an_unknown_character_is_marked_and_does_not_stop_the_rest(name):
    tokenizer = ALL[name]
    assert tokenizer.vocabulary.id("[UNK]") in tokenizer.encode("a ☃ b")
    assert tokenizer.decode(tokenizer.encode("a ☃ b")) == "a [UNK] b"


@pytest.mark.parametrize("name", ALL)
def test_a_saved_tokenizer_is_the_same_when_loaded(name, tmp_path):
    tokenizer = ALL[name]
    tokenizer.encode("ab")  # what is remembered is not saved
    tokenizer.save(tmp_path / "t.json")
    loaded = type(tokenizer).load(tmp_path / "t.json")
    assert loaded == tokenizer
    assert loaded.encode(CORPUS) == tokenizer.encode(CORPUS)


def test_a_file_of_another_kind_is_refused(tmp_path):
    ALL["bpe"].save(tmp_path / "t.json")
    with pytest.raises(InputError, match="kind 'bpe', expected 'unigram'"):
        UnigramTokenizer.load(tmp_path / "t.json")
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(InputError, match="not a saved tokenizer"):
        UnigramTokenizer.load(tmp_path / "t.json")
    (tmp_path / "t.json").write_text(json.dumps({"kind": "bpe", "vocabulary": []}))
    with pytest.raises(InputError, match="damaged"):
        BPETokenizer.load(tmp_path / "t.json")


@pytest.mark.parametrize("name", ALL)
def test_the_vocabulary_is_a_bijection(name):
    vocabulary = ALL[name].vocabulary
    assert [vocabulary.id(vocabulary.token(i)) for i in range(len(vocabulary))] == list(
        range(len(vocabulary))
    )
    with pytest.raises(InputError, match="twice"):
        Vocabulary(("a", "b", "a"))
    with pytest.raises(InputError, match="token ids from"):
        ALL[name].decode([len(vocabulary)])


def test_text_is_never_taken_for_a_special_token():
    tokenizer = ALL["wordpiece"]
    assert not set(tokenizer.encode("[CLS] [MASK]")) & set(tokenizer.special_ids)


def test_a_vocabulary_too_small_for_its_base_is_refused():
    with pytest.raises(InputError, match="at least 4"):
        BPETokenizer.train("abc", 3)


TEXTS = [
    "I'll pay 20$  now, you've 3½ apples; it's Ⅷ o'clock",
    "  snake_case\tand\n\nnew lines  ",
    "größer ist besser — das weiß ich_nicht 日本語 42",
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_cut_as_gpt2_cuts_them(text):
    hf = pytest.importorskip("tokenizers")
    cutter = hf.pre_tokenizers.ByteLevel(add_prefix_space=False)
    spans = [span for _, span in cutter.pre_tokenize_str(text)]
    assert lossless_words(text) == [text[a:b] for a, b in spans]
