"""Losses that stand for another quantity: score functions, similarities, penalties, samples.

Each finding follows from which parts of the loss have a graph. The weight of a log-probability must
be a constant; otherwise its gradient is added. A similarity of two branches of one network has a
trivial optimum, a constant, if both have gradients. A gradient penalty has an effect only if the
gradient has a graph, and a sample only if it is drawn with a graph.
"""

import re
from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch.distributions import Distribution

from corollary.core.finding import Finding, Severity
from corollary.watch.detect.detector import Detector, found
from corollary.watch.detect.loss_inputs import GRAPH
from corollary.watch.detect.terms import ENTROPY, INNER, Term, terms, variables_behind
from corollary.watch.event import Streak
from corollary.watch.state import Loop, Owned
from corollary.watch.surroundings import variables

WEIGHT = "loss/weight_has_graph"
SIGN = "loss/policy_sign"
ENTROPY_SIGN = "loss/entropy_sign"
PENALTY = "loss/penalty_without_graph"
SAMPLE = "loss/sample_without_gradient"
LOOKED_AT = (1, 2, 3, 6, 40)  # steps
SCORE = "corollary.score"
NEAR = 8  # nodes between a product and its log-probability
PASSED = ("Neg", "Exp", "Sub", "Sum", "View", "Squeeze", "Unsqueeze", "Gather", "Index", "Select")
REWARD = re.compile(r"reward|return|advantage|^adv|gain|^score", re.I)
COST = re.compile(r"cost|regret|penalt|energy|risk", re.I)


class Surrogates(Detector):
    """Reads the terms of a loss, at a few steps."""

    def __init__(self) -> None:
        self.slopes = 0  # gradients of inputs that were asked for without a graph, since the step
        self.waiting: list[tuple[Tensor, Any]] = []  # samples that no log-probability was taken of
        self.lost = Streak(3, release=10)

    def on_log_prob(self, loop: Loop, value: Tensor | None, result: Tensor) -> None:
        """Mark the log-probability; its value no longer counts as a sample without a gradient."""
        node: Any = result.grad_fn
        if node is not None:
            node.metadata[ENTROPY if value is None else SCORE] = True
        self.waiting = [(kept, node) for kept, node in self.waiting if kept is not value]

    def on_sample(self, loop: Loop, distribution: Distribution, value: Tensor) -> None:
        """Store it until the step."""
        nodes = [t.grad_fn for t in vars(distribution).values() if isinstance(t, Tensor)]
        nodes = [n for n in nodes if n is not None]
        if nodes and not value.requires_grad and len(self.waiting) < 8:
            self.waiting.append((value, nodes[0]))

    def on_grad(self, loop: Loop, inputs: Sequence[Tensor], graph: bool) -> None:
        """A gradient with respect to a tensor that is not a parameter."""
        self.slopes += not graph and all(id(t) not in loop.names for t in inputs)

    def on_backward_begin(self, loop: Loop, roots: Sequence[Tensor]) -> None:
        """Split the loss into its terms."""
        if not roots or roots[0].grad_fn is None or roots[0].numel() != 1:
            return
        if self.waiting:
            self._samples(loop, roots[0])
        if loop.made not in LOOKED_AT:
            return
        parts = list(terms(roots[0]))
        if self.slopes and any(term.node is None for term in parts):
            loop.events.say(loop.step, _penalty())
        scores = 0
        for term in terms(roots[0], through=INNER):
            name = "" if term.node is None else term.node.name()
            if name.startswith("MulBackward"):
                scores += self._product(loop, term)
            elif name.startswith(("PowBackward", "AbsBackward")):
                self._difference(loop, term.node.next_functions[0][0])
        if scores and any(
            t.node is not None and ENTROPY in t.node.metadata and t.sign > 0 for t in parts
        ):
            loop.events.say(loop.step, _certain())

    def on_step(self, loop: Loop, owned: Owned) -> None:
        """Forget the calls of this step."""
        self.slopes = 0
        self.waiting = []

    def _samples(self, loop: Loop, root: Tensor) -> None:
        """Whether the parameters of a distribution are trained, but not through its samples."""
        behind = variables_behind(root.grad_fn)
        cut = [node for _, node in self.waiting if variables_behind(node) & behind]
        if self.lost.see(bool(cut)):
            loop.events.say(loop.step, _sampled())

    def _product(self, loop: Loop, term: Term) -> bool:
        """Whether this is the product of a log-probability and a weight."""
        edges = [n for n, _ in term.node.next_functions]
        if len(edges) != 2:
            return False
        signs = [None if n is None else _score(n) for n in edges]
        which = next((i for i, s in enumerate(signs) if s is not None), None)
        if which is None:
            if None not in edges:
                self._similar(loop, edges)
            return False
        weight, sign = edges[1 - which], term.sign * (signs[which] or 1)
        if weight is not None and signs[1 - which] is None and not _probability(weight):
            loop.events.say(loop.step, _weight())
        elif weight is None and sign > 0:
            self._sign(loop)
        return True

    def _difference(self, loop: Loop, node: Any) -> None:
        """A squared difference of two outputs of one network, as of a value and its target."""
        edges = [n for n, _ in node.next_functions] if node is not None else []
        if len(edges) == 2 and None not in edges and node.name().startswith("SubBackward"):
            one, other = (variables_behind(n) & loop.names.keys() for n in edges)
            if len(one & other) > 1:
                loop.events.say(loop.step, _both("difference"))

    def _similar(self, loop: Loop, edges: list[Any]) -> None:
        """An inner product of two branches of one network, which may have different lengths."""
        if any(_probability(n) for n in edges):
            return  # an entropy
        one, other = (variables_behind(n) & loop.names.keys() for n in edges)
        if len(one & other) > 1 and (one <= other or other <= one):
            loop.events.say(loop.step, _both("similarity"))

    def _sign(self, loop: Loop) -> None:
        """Decide by names whether the weight is a reward or a cost."""
        names = [name for name, value in variables() if isinstance(value, Tensor | float)]
        good = [n for n in names if REWARD.search(n)]
        if good and not any(COST.search(n) for n in names):
            loop.events.say(loop.step, _minimized(good[0]))


def _score(node: Any) -> int | None:
    """The sign of a log-probability behind a few nodes; None if there is none."""
    sign = 1
    for _ in range(NEAR):
        if node is None:
            return None
        name = node.name()
        if SCORE in node.metadata or name.startswith("LogSoftmax"):
            return sign
        if not name.startswith(PASSED):
            return None
        sign = -sign if name.startswith("Neg") else sign
        node = node.next_functions[0][0]
    return None


def _probability(node: Any) -> bool:
    """Whether a weight is a probability itself, as in an entropy."""
    for _ in range(NEAR):
        if node is None:
            return False
        if node.name().startswith(("Softmax", "Exp", "Sigmoid")):
            return True
        node = node.next_functions[0][0] if node.next_functions else None
    return False


def _weight() -> Finding:
    return found(
        WEIGHT,
        "The weight of a log-probability has a gradient",
        Severity.MEDIUM,
        "The loss multiplies log-probabilities by a tensor with a graph, such as an "
        "advantage that contains the critic's value. The policy loss (actor loss) therefore "
        "also changes the network that computes the weight.",
        "Use advantage.detach() in the policy loss, and train the critic by its own loss.",
    )


def _both(what: str) -> Finding:
    return found(
        GRAPH,
        f"Both sides of a {what} have a gradient",
        Severity.LOW,
        f"The loss is a {what} of two outputs of the same network, and both have a gradient. "
        "A target moves towards the output, and features may collapse to a constant.",
        "Stop the gradient of the target: compute it under torch.no_grad() or use "
        "target.detach() (bootstrapped values, BYOL, SimSiam), or add negatives.",
    )


def _certain() -> Finding:
    return found(
        ENTROPY_SIGN,
        "The entropy of the policy is minimized",
        Severity.LOW,
        "The entropy enters the policy loss with a positive sign, so minimizing the loss makes the "
        "policy deterministic and ends its exploration.",
        "Subtract the entropy bonus: loss = policy_loss - coefficient * entropy.",
    )


def _penalty() -> Finding:
    return found(
        PENALTY,
        "A gradient penalty has no gradient",
        Severity.MEDIUM,
        "torch.autograd.grad was called without create_graph=True, and a term of the loss is "
        "a constant without a graph. The penalty is computed, but has no effect on the "
        "weights.",
        "Call torch.autograd.grad(..., create_graph=True).",
    )


def _sampled() -> Finding:
    return found(
        SAMPLE,
        "Samples are drawn without a gradient",
        Severity.MEDIUM,
        "The loss depends on values from sample(), which stops the gradient, and no log_prob of "
        "these values is used. So the network that computes the distribution is not trained by "
        "these values.",
        "Use rsample() (the reparametrization trick).",
    )


def _minimized(name: str) -> Finding:
    return found(
        SIGN,
        "The policy loss may have the wrong sign",
        Severity.LOW,
        "The loss is log-probability times a constant weight, without a minus sign. If the "
        f"weight is a reward (the loop has a variable {name!r}), minimizing the loss "
        "minimizes the reward.",
        "Use -(log_prob * advantage).mean(), since the optimizer minimizes.",
    )
