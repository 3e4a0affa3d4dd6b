r"""Real sentences: translations of captions, and opinions of films.

Files are found on disk or fetched once, as :mod:`corollary.data.files` says. Sentences come as
plain strings; :mod:`corollary.theory.sequences.tokenizers` cuts them.

:source: Elliott, Frank, Sima'an and Specia (2016), "Multi30K: multilingual English-German image
    descriptions"; Socher et al. (2013), "Recursive deep models for semantic compositionality over a
    sentiment treebank"; Pang and Lee (2005), "Seeing stars".
"""

import gzip
import random
from typing import Literal

from corollary.data.files import DataFile
from corollary.errors import InputError

Labelled = tuple[list[str], list[int]]
Pairs = tuple[list[str], list[str]]
GITHUB = "https://raw.githubusercontent.com/"
MULTI30K_HOME = (GITHUB + "multi30k/dataset/master/data/task1/raw/",)
SST2_HOME = (GITHUB + "clairett/pytorch-sentiment-classification/master/data/SST2/",)
POLARITY_HOME = (GITHUB + "dennybritz/cnn-text-classification-tf/master/data/rt-polaritydata/",)
MULTI30K = {
    "train.de": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.de": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test.de": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test.en": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test.fr": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}
SST2 = {
    "train": "ec192f833a64da08f475488a77b0d0b47db47acd0f458bd18433fc793b569920",
    "val": "eddea6b39e601dd4e7a672b53cc40fdf6019fa80522f351206c24340ca5d9359",
    "test": "831169c7e2e429d6026e1bdbb542f33b636e3e596caad9602ebc953c205928b7",
}
POLARITY = {
    "pos": "4134882974a28d0c7b5151256f0e33a6169984ee7372c279e673f1114f475d58",
    "neg": "2d11cfbc790f1cd96d78339f41ce53ced1efa83cd22d37d6788fa3fe3d17e2fd",
}
Split = Literal["train", "val", "test"]
Language = Literal["de", "en", "fr"]


def multi30k(split: Split = "train", source: Language = "de", target: Language = "en") -> Pairs:
    """Captions of photographs in two languages: 29,000 pairs, 1,014 for validation, 1,000 to test.

    The test set is that of 2016.
    """
    _one_of("split", split, ("train", "val", "test"))
    for language in (source, target):
        _one_of("language", language, ("de", "en", "fr"))
    return _captions(split, source), _captions(split, target)


def _captions(split: str, language: str) -> list[str]:
    stem = "test_2016_flickr" if split == "test" else split
    sha = MULTI30K[f"{split}.{language}"]
    file = DataFile(f"multi30k/{stem}.{language}.gz", sha, MULTI30K_HOME)
    return gzip.decompress(file.content()).decode("utf-8").splitlines()


def sst2(split: Split = "train") -> Labelled:
    """Sentences of film reviews, 1 where they praise: 6,920, 872 for validation, 1,821 to test."""
    _one_of("split", split, ("train", "val", "test"))
    name = "dev" if split == "val" else split
    content = DataFile(f"sst2/{name}.tsv", SST2[split], SST2_HOME).content().decode("utf-8")
    rows = [line.rsplit("\t", 1) for line in content.splitlines()]
    return [sentence for sentence, _ in rows], [int(label) for _, label in rows]


def rt_polarity(split: Split = "train") -> Labelled:
    """10,662 sentences of film reviews, half of them praise; a tenth each is left to val and test.

    There is no public split: the order is shuffled once, the same for everyone.
    """
    _one_of("split", split, ("train", "val", "test"))
    rows = [(line, label) for label, part in enumerate(("neg", "pos")) for line in _polar(part)]
    random.Random(0).shuffle(rows)
    tenth = len(rows) // 10
    parts = {"val": rows[:tenth], "test": rows[tenth : 2 * tenth], "train": rows[2 * tenth :]}
    return [line for line, _ in parts[split]], [label for _, label in parts[split]]


def _polar(part: str) -> list[str]:
    file = DataFile(f"rt-polarity/rt-polarity.{part}", POLARITY[part], POLARITY_HOME)
    return file.content().decode("utf-8", errors="replace").strip().split("\n")


def _one_of(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(f"expected {what} to be one of {', '.join(known)}, got {value!r}")
