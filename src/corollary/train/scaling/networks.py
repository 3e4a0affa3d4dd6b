"""Networks of a function of the width: built from a seed, changed if asked, and measured."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.optim import Optimizer

from corollary.core.default_losses import Loss
from corollary.core.randomness import derived_seed
from corollary.core.recipe import Optimization
from corollary.core.subject import Subject
from corollary.errors import InputError
from corollary.theory.scaling.abc import optimizer_kind
from corollary.train.scaling.attention import multiply_scores, score_factors
from corollary.train.scaling.change import (
    Change,
    multiply_inputs,
    rate_factors,
    rescale,
    scale_factors,
    split_groups,
)
from corollary.train.scaling.roles import growth
from corollary.train.scaling.sizes import Measured, measured


class Family(NamedTuple):
    """Networks of every size, and how they are trained."""

    build: Callable[[int], Any]
    data: Any
    loss: Loss | str | None
    optimizer: Optimization | None
    lr: float | None
    samples: int
    seed: int

    def member(self, width: int, k: int = 0) -> Subject:
        """The k-th network of a width."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(derived_seed(self.seed, "width", width, k))
            made = self.build(width)
        parts = made if isinstance(made, tuple) else (made,)
        models = [part for part in parts if isinstance(part, nn.Module)]
        if len(models) != 1:
            raise InputError(
                f"expected a torch.nn.Module from build({width}), got a "
                f"{type(made).__name__}; build may also return a tuple of the module with "
                "data or an optimizer"
            )
        own = [part for part in parts if isinstance(part, Optimizer)]
        data = [p for p in parts if not isinstance(p, nn.Module | Optimizer)] or [self.data]
        return Subject(
            models[0],
            data[0],
            loss=self.loss,
            lr=None if own else self.lr,
            optimizer=own[0] if own else self.optimizer,
            samples=self.samples,
        )

    def measured(
        self, widths: Sequence[int], seeds: int, steps: int, applied: "Applied | None" = None
    ) -> Iterator[Measured]:
        """Seeds one after the other, each with all widths."""
        for k in range(seeds):
            for width in widths:
                subject = self.member(width, k)
                if applied is not None and subject.recipe.optimizer is not None:
                    applied.to(subject.model, subject.recipe.optimizer)
                yield measured(subject, steps)


class Applied(NamedTuple):
    """A change that is made to every network after it is built."""

    changes: Sequence[Change]
    base: nn.Module

    def to(self, model: nn.Module, optimizer: Optimizer) -> None:
        """Rescale weights, split the groups of the optimizer, multiply what layers are given."""
        grown = growth(self.base, model)
        weights = [change for change in self.changes if change.name in grown]
        rescale(model, scale_factors(weights, grown))
        kind = optimizer_kind(type(optimizer).__name__)
        factors = rate_factors(model, weights, grown, kind)
        optimizer.param_groups[:] = split_groups(optimizer.param_groups, factors)
        scores = score_factors(model, self.base)
        for change in self.changes:
            if change.scores and change.name in scores:
                multiply_scores(model.get_submodule(change.name), scores[change.name])
            elif change.by.a and not change.scores:
                path = change.name.removesuffix(".weight")
                layer = model.get_submodule(path)
                wider = growth(self.base.get_submodule(path), layer)["weight"].fan_in
                multiply_inputs(layer, wider**-change.by.a)
