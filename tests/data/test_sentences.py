import os

import pytest

from corollary.data.sentences import multi30k, rt_polarity, sst2
from corollary.errors import DataUnavailableError, InputError


def loaded(function, *args):
    try:
        return function(*args)
    except DataUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("split", "n"), [("train", 29_000), ("val", 1_014), ("test", 1_000)])
def test_captions_come_in_pairs(split, n):
    german, english = loaded(multi30k, split)
    assert len(german) == len(english) == n


@pytest.mark.parametrize(("split", "n"), [("train", 6_920), ("val", 872), ("test", 1_821)])
def test_sentences_have_the_published_numbers(split, n):
    sentences, labels = loaded(sst2, split)
    assert len(sentences) == len(labels) == n
    assert set(labels) == {0, 1}


def test_parts_of_the_polarity_data_have_no_sentence_twice_and_make_up_all():
    parts = [loaded(rt_polarity, split) for split in ("train", "val", "test")]
    assert [len(sentences) for sentences, _ in parts] == [8_530, 1_066, 1_066]
    assert sum(sum(labels) for _, labels in parts) == 5_331


@pytest.mark.skipif("COROLLARY_SHAPES" in os.environ, reason="the type checker refuses them")
@pytest.mark.parametrize("call", [lambda: sst2("dev"), lambda: multi30k("train", "it")])
def test_other_splits_and_languages_are_refused(call):
    with pytest.raises(InputError, match="to be one of"):
        call()
