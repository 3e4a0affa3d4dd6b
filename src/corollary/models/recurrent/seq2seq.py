r"""Encoder and decoder.

.. math:: x_{1:T}\mapsto\zeta,\qquad z_0=\zeta,\quad z_i=F(z_{i-1},y_{i-1}),\qquad
   p(y_i\mid x,y_{<i})=\operatorname{softmax}(Rz_i).

All that the decoder knows of the source is one vector of fixed size. With attention it also reads
a context :math:`c_i` of the encoder's states at each step, and the bottleneck is gone:
:math:`z_i=F(z_{i-1},[y_{i-1},c_i])`, softmax of :math:`R[z_i,c_i]`.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Sutskever, Vinyals and Le (2014),
    "Sequence to sequence learning with neural networks"; Bahdanau, Cho and Bengio (2015), "Neural
    machine translation by jointly learning to align and translate".
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import LinearLayer
from corollary.models.recurrent.additive_attention import AdditiveAttention
from corollary.models.recurrent.cell import Cell, State, chosen, unroll, visible
from corollary.models.recurrent.reading import SourceContinuation
from corollary.theory.seeding import as_generator
from corollary.theory.sequences.decoding.next_token import check_length
from corollary.theory.sequences.factorization import sequence_log_prob


class Encoded(NamedTuple):
    """What the decoder gets to know of the source."""

    state: State  # the encoder's last state
    zeta: Tensor  # all its states
    prepared: Tensor | None  # attention's part of the score
    alive: Tensor | None  # which places count

    def keep(self, rows: Int[Tensor, " c"]) -> "Encoded":
        """These sources of the batch, in this order."""
        prepared = None if self.prepared is None else self.prepared[rows]
        alive = None if self.alive is None else self.alive[rows]
        return Encoded(chosen(self.state, rows), self.zeta[rows], prepared, alive)


class Seq2Seq(nn.Module):
    """Tokens in, the logits of tokens out.

    Args:
        encoder: Reads embeddings of source tokens, ``encoder.n`` numbers each.
        decoder: Reads embeddings of target tokens, with attention followed by a context of
            ``encoder.m`` numbers; starts from the encoder's last state, so both must be of one
            kind and size.
        source: Number of source tokens.
        target: Number of target tokens; one more, internal, starts every output.
        attention: Looks at the encoder's states; without it there is only the last one.

    Example:
        >>> from corollary.models.recurrent.gru import GRUCell
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = Seq2Seq(GRUCell(4, 8, rng=rng), GRUCell(4, 8, rng=rng), 5, 6, rng=rng)
        >>> x, y = torch.tensor([[0, 3, 1]]), torch.tensor([[2, 2, 0, 5]])
        >>> net(x, y).shape, net.generate(x, 2).shape
        (torch.Size([1, 4, 6]), torch.Size([1, 2]))

    :covers: seq2seq-encoder-decoder, bahdanau-attention
    """

    def __init__(
        self,
        encoder: Cell,
        decoder: Cell,
        source: int,
        target: int,
        *,
        attention: AdditiveAttention | None = None,
        rng: int | Generator = 0,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        context = 0 if attention is None else encoder.m
        _check_parts(encoder, decoder, context)
        first = next(encoder.parameters())
        self.encoder, self.decoder, self.attention = encoder, decoder, attention
        self.source, self.target = source, target

        def table(tokens: int, d: int) -> nn.Parameter:
            return nn.Parameter(
                torch.randn(tokens, d, generator=rng, device=rng.device, dtype=first.dtype)
            )

        self.E_x = table(source, encoder.n)
        self.E_y = table(target + 1, decoder.n - context)  # the last row starts an output
        self.readout = LinearLayer(
            decoder.m + context, target, bias=True, rng=rng, dtype=first.dtype
        )

    def encode(self, x: Int[Tensor, "B T"], lengths: Int[Tensor, " B"] | None = None) -> Encoded:
        """Run the encoder."""
        _check_tokens(x, self.source, "source")
        zeta, state = unroll(self.encoder, self.E_x[x], lengths)
        places = torch.arange(x.shape[1], device=x.device)
        alive = None if lengths is None else places < lengths[:, None]
        ready = None if self.attention is None else self.attention.prepared(zeta)
        return Encoded(state, zeta, ready, alive)

    def step(
        self, known: Encoded, state: State, before: Int[Tensor, " B"]
    ) -> tuple[State, Float[Tensor, "B K"], Float[Tensor, "B T"] | None]:
        """Next state, logits of the next token, and where attention looked."""
        element = self.E_y[before]
        if self.attention is None:
            state = self.decoder(state, element)
            return state, self.readout(visible(state)), None
        c, a = self.attention(visible(state), known.zeta, known.alive, prepared=known.prepared)
        state = self.decoder(state, torch.cat([element, c], dim=1))
        return state, self.readout(torch.cat([visible(state), c], dim=1)), a

    def forward(
        self,
        x: Int[Tensor, "B T"],
        y: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"] | None = None,
    ) -> Float[Tensor, "B N K"]:
        """Teacher forcing: logits of y_i given x and the true y_1, ..., y_{i-1}."""
        return self._forced(x, y, lengths)[0]

    def alignment(
        self,
        x: Int[Tensor, "B T"],
        y: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"] | None = None,
    ) -> Float[Tensor, "B N T"]:
        """The weights a_ij: how much output i looked at place j of the source."""
        if self.attention is None:
            raise InputError("an alignment needs attention, but the model was built without it")
        return torch.stack(self._forced(x, y, lengths)[1], dim=1)

    def log_prob(
        self,
        x: Int[Tensor, "B T"],
        y: Int[Tensor, "B N"],
        lengths: Int[Tensor, " B"] | None = None,
    ) -> Float[Tensor, " B"]:
        """The logarithm of p(y | x)."""
        return sequence_log_prob(self(x, y, lengths), y)

    @torch.no_grad()
    def next_token(
        self, x: Int[Tensor, "B T"], lengths: Int[Tensor, " B"] | None = None
    ) -> SourceContinuation:
        """The model that decoders ask, for these sources; its memory is the decoder's state.

        A single source serves any number of prefixes, as in a beam; otherwise prefix i belongs to
        source i.

        Example:
            >>> from corollary.models.recurrent.gru import GRUCell
            >>> from corollary.theory.sequences.decoding.beam import beam_search
            >>> rng = torch.Generator().manual_seed(0)
            >>> net = Seq2Seq(GRUCell(4, 8, rng=rng), GRUCell(4, 8, rng=rng), 5, 6, rng=rng)
            >>> len(beam_search(net.next_token(torch.tensor([[0, 3, 1]])), 2, 7)[0].tokens)
            7
        """
        return SourceContinuation(self, self.encode(x, lengths))

    @torch.no_grad()
    def generate(
        self,
        x: Int[Tensor, "B T"],
        N: int,
        lengths: Int[Tensor, " B"] | None = None,
        *,
        end: int | None = None,
        rng: int | Generator | None = None,
    ) -> Int[Tensor, "B N"]:
        """N tokens, the likeliest at each step, or drawn if there is an ``rng``.

        After the token ``end`` an output repeats it.
        """
        check_length(N)
        draw = None if rng is None else as_generator(rng)
        known = self.encode(x, lengths)
        state, out = known.state, [x.new_full((len(x),), self.target)]
        for _ in range(N):
            state, logits, _ = self.step(known, state, out[-1])
            if draw is None:
                token = logits.argmax(dim=1)
            else:
                token = torch.multinomial(logits.softmax(dim=1), 1, generator=draw)[:, 0]
            out.append(token if end is None else torch.where(out[-1] == end, end, token))
        return torch.stack(out, dim=1)[:, 1:]

    def _forced(self, x: Tensor, y: Tensor, lengths: Tensor | None) -> tuple[Tensor, list[Tensor]]:
        _check_tokens(y, self.target, "target")
        if len(x) != len(y):
            raise InputError(
                f"expected one target per source, got {len(y)} targets for {len(x)} sources"
            )
        known = self.encode(x, lengths)
        shifted = torch.cat([y.new_full((len(y), 1), self.target), y[:, :-1]], dim=1)
        state, scores, looks = known.state, [], []
        for before in shifted.unbind(1):
            state, logits, a = self.step(known, state, before)
            scores.append(logits)
            if a is not None:
                looks.append(a)
        return torch.stack(scores, dim=1), looks


def _check_parts(encoder: Cell, decoder: Cell, context: int) -> None:
    if type(encoder) is not type(decoder) or encoder.m != decoder.m:
        raise InputError(
            "the decoder starts from the last state of the encoder, so both must have the "
            f"same type and size, got {type(encoder).__name__} of size {encoder.m} and "
            f"{type(decoder).__name__} of size {decoder.m}"
        )
    if decoder.n <= context:
        raise InputError(
            f"the decoder reads an embedding and a context of {context} numbers, but it has "
            f"only n={decoder.n} inputs; build the decoder with n = embedding + {context}"
        )


def _check_tokens(tokens: Tensor, K: int, name: str) -> None:
    if tokens.numel() == 0 or not 0 <= int(tokens.min()) <= int(tokens.max()) < K:
        raise InputError(
            f"{name} tokens must lie in 0, ..., {K - 1}, and there must be at least one"
        )
