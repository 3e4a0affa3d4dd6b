import pytest

from corollary.core import generator
from corollary.data.small_language import (
    ALSO_NOUNS,
    TAGS,
    VERBS,
    documents,
    padded,
    tokenizer,
)
from corollary.errors import InputError


def test_a_sentence_begins_with_the_noun_of_the_one_before():
    for document in documents(20, 4, rng=generator(0, "text")):
        for a, b in zip(document, document[1:], strict=False):
            assert a.words[-2] == b.words[b.tags.index("NOUN")]


def test_tags_and_moods_are_those_of_the_words():
    sentences = [s for d in documents(50, 4, rng=generator(1, "text")) for s in d]
    assert {tag for s in sentences for tag in s.tags} == set(TAGS)
    for s in sentences:
        assert len(s.words) == len(s.tags)
        assert s.words[s.tags.index("VERB")] in VERBS[s.friendly]
    tagged = {(w, t) for s in sentences for w, t in zip(s.words, s.tags, strict=True)}
    assert any((w, "NOUN") in tagged and (w, "VERB") in tagged for w in ALSO_NOUNS)


def test_every_word_is_in_the_vocabulary():
    language = tokenizer()
    sentences = [s for d in documents(50, 4, rng=generator(2, "text")) for s in d]
    assert all(language.decode(language.encode(s.text)) == s.text for s in sentences)
    assert language.vocabulary.id("[PAD]") == 0


def test_the_same_generator_gives_the_same_text():
    assert documents(5, 3, rng=generator(3)) == documents(5, 3, rng=generator(3))


def test_what_cannot_be_written_is_refused():
    with pytest.raises(InputError, match="friendly and a hostile"):
        documents(1, 1, verbs=["loved"], rng=generator(0))
    with pytest.raises(InputError, match="does not fit"):
        padded([[1, 2, 3]], length=2)
