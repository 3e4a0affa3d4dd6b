"""The tokens of a text with their numbers and the vectors that a model gives them.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.5, Listing 10.5 and Table 10.2.
:covers: gpt2-embedding-table
:erratum: [possible OCR artefact] In the scanned listing the last print line formats the literal
    strings 'token' and 'token_id' and has broken quotes around norm and vector_str, so it is no
    valid Python; Table 10.2 was evidently made by a working version. The braces must hold the
    variables, as they do in ``as_text``.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.sequences.tokenizers.pipeline import Tokenizer

SHOWN = 8  # entries of a vector that are printed


class Row(NamedTuple):
    """One token."""

    token: str
    id: int
    norm: float  # Euclidean length of the vector
    vector: Float[Tensor, " d"]


def token_embedding_table(
    text: str, embeddings: Float[Tensor, "vocab d"], tokenizer: Tokenizer
) -> list[Row]:
    """One row a token of the text; ``embeddings`` has one row for each token of the vocabulary.

    Example:
        >>> import torch
        >>> from corollary.theory.sequences.tokenizers.characters import CharacterTokenizer
        >>> table = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
        >>> rows = token_embedding_table("ba", table, CharacterTokenizer.train("ab"))
        >>> [(r.token, r.id, r.norm) for r in rows]
        [('b', 2, 1.0), ('a', 1, 5.0)]
    """
    if len(embeddings) < len(tokenizer.vocabulary):
        raise InputError(
            f"the tokenizer has {len(tokenizer.vocabulary)} tokens, but the table has only "
            f"{len(embeddings)} rows; use the tokenizer of the model"
        )
    ids = tokenizer.encode(text)
    vectors = embeddings.detach()[ids]
    norms = vectors.norm(dim=1).tolist()
    names = [tokenizer.vocabulary.token(i) for i in ids]
    return [Row(*row) for row in zip(names, ids, norms, vectors, strict=True)]


def as_text(rows: list[Row]) -> str:
    """The table as the notes print it: token, id, length, first entries.

    Example:
        >>> import torch
        >>> print(as_text([Row("a", 1, 5.0, torch.tensor([3.0, 4.0]))]))
        Token                Token ID   L2 Norm    Embedding Vector
        a                    1          5.0000     [3.000, 4.000]
    """
    lines = [f"{'Token':<20} {'Token ID':<10} {'L2 Norm':<10} Embedding Vector"]
    for token, i, norm, vector in rows:
        shown = ", ".join(f"{v:.3f}" for v in vector[:SHOWN].tolist())
        rest = ", ..." if len(vector) > SHOWN else ""
        lines.append(f"{token:<20} {i:<10} {norm:<10.4f} [{shown}{rest}]")
    return "\n".join(lines)
