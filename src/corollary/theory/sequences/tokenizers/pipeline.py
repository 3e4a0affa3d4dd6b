r"""The tokenization pipeline: normalise, split, number; and back.

.. math:: \text{text} \to \text{normalised text} \to (t_1, \dots, t_n) \to (i_1, \dots, i_n),
    \qquad i_j = \mathrm{ID}(t_j)

``ID`` is a bijection between the tokens of the vocabulary and :math:`0, \dots, |V| - 1`. Every
tokenizer here keeps one promise: ``decode(encode(s))`` is ``normalizer(s)``, except where a part of
``s`` is unknown, which reads ``[UNK]``. Text is never taken for a special token: the string
``[CLS]`` in a user's text is five ordinary characters.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Tokenization.
:covers: tokenization-pipeline
"""

import json
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from corollary.errors import InputError, InputTypeError

UNKNOWN = "[UNK]"


@dataclass(frozen=True)
class Normalizer:
    r"""The first step: Unicode form, case, punctuation, whitespace.

    Example:
        >>> Normalizer(lowercase=True, squeeze=True)("  Like a\tFISH ")
        'like a fish'
        >>> Normalizer(isolate=True, squeeze=True)("wait, what?")
        'wait , what ?'
    """

    form: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = "NFC"  # of Unicode; None leaves it
    lowercase: bool = False
    isolate: bool = False  # spaces around every mark of punctuation
    squeeze: bool = False  # runs of whitespace become one space, none at the ends

    def __call__(self, text: str) -> str:
        """The normalised text."""
        if not isinstance(text, str):
            raise InputTypeError(f"expected text as a str, got {type(text).__name__}")
        if self.form is not None:
            text = unicodedata.normalize(self.form, text)
        if self.lowercase:
            text = text.lower()
            text = unicodedata.normalize(self.form, text) if self.form is not None else text
        if self.isolate:
            text = "".join(f" {c} " if is_punctuation(c) else c for c in text)
        return " ".join(text.split()) if self.squeeze else text


def is_punctuation(c: str) -> bool:
    """Whether BERT cuts here: ASCII marks (``$``, ``+``, ``^`` too) and Unicode's category P."""
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or (
        unicodedata.category(c).startswith("P")
    )


@dataclass(frozen=True)
class Vocabulary:
    """Tokens and their numbers, one to one.

    Example:
        >>> v = Vocabulary(("a", "b"))
        >>> v.id("b"), v.token(0), len(v), "c" in v
        (1, 'a', 2, False)
    """

    tokens: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))
        if len(self.ids) != len(self.tokens):
            twice = next(t for i, t in enumerate(self.tokens) if self.ids[t] != i)
            raise InputError(
                f"a vocabulary must contain each token once, but contains {twice!r} twice"
            )

    @cached_property
    def ids(self) -> dict[str, int]:
        """The number of each token."""
        return {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self.ids

    def id(self, token: str) -> int:
        """The number of ``token``."""
        if token not in self.ids:
            raise InputError(f"{token!r} is not among the {len(self)} tokens of the vocabulary")
        return self.ids[token]

    def token(self, i: int) -> str:
        """The token with number ``i``."""
        if not 0 <= i < len(self):
            raise InputError(f"expected token ids from 0 to {len(self) - 1}, got {i}")
        return self.tokens[i]


@dataclass(frozen=True)
class Tokenizer(ABC):
    """Normalise, split, number. A final tokenizer says how it splits and joins, and trains."""

    vocabulary: Vocabulary
    normalizer: Normalizer = field(default=Normalizer(), kw_only=True)
    specials: tuple[str, ...] = field(default=(UNKNOWN,), kw_only=True)  # never read from text
    kind: ClassVar[str]  # the word that names the class in a saved file

    def __post_init__(self) -> None:
        object.__setattr__(self, "specials", tuple(self.specials))
        for name in self.specials:
            self.vocabulary.id(name)

    @abstractmethod
    def split(self, text: str) -> list[int]:
        """The ids of normalised text."""

    @abstractmethod
    def join(self, tokens: Sequence[str]) -> str:
        """The text of tokens, special ones already taken out."""

    def encode(self, text: str) -> list[int]:
        """Text to ids."""
        return self.split(self.normalizer(text))

    def decode(self, ids: Iterable[int]) -> str:
        """Ids to text. Special tokens leave no trace, but an unknown part reads ``[UNK]``."""
        silent = set(self.specials) - {UNKNOWN}
        tokens = (self.vocabulary.token(int(i)) for i in ids)
        return self.join([t for t in tokens if t not in silent])

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text, to look at."""
        return [self.vocabulary.token(i) for i in self.encode(text)]

    def save(self, path: str | Path) -> None:
        """Write one JSON file; the old one stays whole until the new one is written."""
        kept = {f.name for f in fields(self) if f.init}
        content = {"kind": self.kind} | {k: v for k, v in asdict(self).items() if k in kept}
        content["vocabulary"] = self.vocabulary.tokens
        text = json.dumps(content, ensure_ascii=False, indent=1)
        draft = Path(f"{path}.part")
        draft.write_bytes(text.encode("utf-8", "surrogatepass"))
        draft.replace(path)

    @classmethod
    def load(cls, path: str | Path) -> "Tokenizer":
        """Read what :meth:`save` wrote."""
        try:
            content: dict[str, Any] = json.loads(Path(path).read_bytes())
            kind = content.pop("kind")
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise InputError(f"{path} is not a saved tokenizer ({error})") from None
        if kind != cls.kind:
            raise InputError(f"{path} contains a tokenizer of kind {kind!r}, expected {cls.kind!r}")
        try:
            content = {k: _as_tuple(v) for k, v in content.items()}
            content["vocabulary"] = Vocabulary(content["vocabulary"])
            content["normalizer"] = Normalizer(**content["normalizer"])
            return cls(**content)
        except (KeyError, TypeError) as error:
            raise InputError(f"{path} is a damaged tokenizer ({error})") from None


def _as_tuple(value: Any) -> Any:
    """What JSON made a list was a tuple."""
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def as_texts(corpus: str | Iterable[str]) -> Iterable[str]:
    """A corpus is one text or several."""
    if isinstance(corpus, bytes) or not isinstance(corpus, Iterable):
        raise InputTypeError(
            f"expected a corpus as one str or a list of str, got {type(corpus).__name__}"
        )
    return (corpus,) if isinstance(corpus, str) else corpus


def check_size(vocab_size: int, smallest: int, what: str) -> None:
    """Complain where a vocabulary has no room for what it must hold."""
    if vocab_size < smallest:
        raise InputError(f"vocab_size must be at least {smallest} to hold {what}, got {vocab_size}")
