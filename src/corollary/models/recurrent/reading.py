r"""An encoder-decoder reads prefixes token by token: its memory is the decoder's state.

.. math:: z_i=F(z_{i-1},y_{i-1}),\qquad \log p(\cdot\mid x,y_{<i})=\log\operatorname{softmax}(Rz_i):

a token costs the same after ten others and after ten thousand, beside what attention reads of the
source.

:source: Perez Jensen (2025), Deep Learning, Section 5.3.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.models.recurrent.cell import State, chosen
from corollary.theory.networks.softmax import log_softmax

if TYPE_CHECKING:
    from corollary.models.recurrent.seq2seq import Encoded, Seq2Seq


@dataclass(frozen=True)
class SourceContinuation:
    """What decoders ask of an encoder-decoder: prefixes to log-probabilities, for some sources.

    Called with whole prefixes it starts afresh; :meth:`reader` remembers, and decoders use it.
    """

    model: "Seq2Seq"
    known: "Encoded"  # what the encoder found; one row serves any number of prefixes

    def __call__(self, prefix: Int[Tensor, "b t"]) -> Float[Tensor, "b K"]:
        """Log-probabilities of what follows each prefix."""
        return self.reader().read(prefix)

    def reader(self) -> "StateReader":
        """A memory that has read nothing."""
        return StateReader(self.model, self.known)


class StateReader:
    """Prefixes of a recurrent decoder, remembered as its state; works without gradients."""

    def __init__(self, model: "Seq2Seq", known: "Encoded") -> None:
        self.model, self.known = model, known
        self.state: State | None = None

    @torch.no_grad()
    def read(self, tokens: Int[Tensor, "b s"]) -> Float[Tensor, "b K"]:
        """Append tokens; log-probabilities of what follows."""
        K = self.model.target
        if tokens.numel() and not 0 <= int(tokens.min()) <= int(tokens.max()) < K:
            raise InputError(
                f"expected token ids from 0 to {K - 1}, got {int(tokens.min())} to "
                f"{int(tokens.max())}"
            )
        state = self.state
        if state is None:
            state = self._begin(len(tokens))
            first = tokens.new_full((len(tokens), 1), K)
            tokens = torch.cat([first, tokens], dim=1)
        if tokens.shape[1] == 0:
            raise InputError("expected at least one new token, got none")
        for token in tokens.unbind(1):
            state, logits, _ = self.model.step(self.known, state, token)
        self.state = state
        return log_softmax(logits)

    def keep(self, rows: Int[Tensor, " c"]) -> None:
        """Go on with these prefixes, each with its source."""
        self.known = self.known.keep(rows)
        self.state = None if self.state is None else chosen(self.state, rows)

    def _begin(self, b: int) -> State:
        n = len(self.known.zeta)
        if n not in (1, b):
            raise InputError(
                f"expected one source, or one per prefix, got {n} sources for {b} prefixes"
            )
        if n != b:
            self.keep(torch.zeros(b, dtype=torch.int64, device=self.known.zeta.device))
        return self.known.state
