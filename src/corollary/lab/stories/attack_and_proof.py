"""An attack and a proof."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _margins(seen: Seen) -> str:
    k = int(seen["radii"])
    intervals, crown, found = seen.predicted[k - 1], seen.predicted[-1], seen.measured[-1]
    return (
        f"At the largest radius the attack pushes the margin down to {short(found)}. The proof by "
        f"linear bounds says it stays above {short(crown)}, the one by intervals above "
        f"{short(intervals)}."
    )


def _verdict(seen: Seen) -> str:
    crown, found = seen.predicted[-1], seen.measured[-1]
    if crown > 0:
        return "Both agree: no attack of this size changes the answer, and that is proved."
    if found > 0:
        return (
            "Between them lies the unknown: the attack found nothing, the proof proves nothing. "
            "Nobody knows whether this input is safe at this radius."
        )
    return "The attack succeeded: there is an input this close with another answer."


STORY = Story(
    title="An attack and a proof",
    teaser="“We tried to break it and failed” is not the same as “it cannot be broken”.",
    claim="robustness/crown_and_intervals",
    moves={"L": "hidden layers", "m": "width", "d": "inputs"},
    ends={"L": (1, 5), "m": (4, 64), "d": (4, 64)},
    options={"radii": 4},
    figure=1,
    parts=(
        Part(
            "Change every pixel of an image by less than you can see, and a good classifier may "
            "call a panda a gibbon. How safe is yours? An attack searches for such a change. If "
            "it finds one, you know. If it finds none, you know only that this attack found none."
        ),
        Part(
            "A proof comes from the other side. It follows whole boxes of inputs through the "
            "network and bounds the margin, the lead of the right class over the next. The "
            "truth lies between the line of the attack, above, and the lines of the proofs, "
            "below. Make the network deeper and watch the gap.",
            (
                Try("one layer", {"L": 1}),
                Try("three layers", {"L": 3}),
                Try("five layers", {"L": 5}),
            ),
            _margins,
        ),
        Part(
            "Intervals are cheap, and they lose something at every layer, because they forget "
            "that two units depend on the same input. Linear bounds remember some of that. Both "
            "are sound: neither line ever crosses that of the attack.",
            (),
            _verdict,
        ),
        Part(
            "The way out is to train for the proof. A network that is trained on its own bounds "
            "gives up a little accuracy, and then its robustness can be proved for most inputs. "
            "``corollary examine`` runs the attack and the proof on your own network."
        ),
    ),
    claims={
        "robustness/certified_training": "training on bounds makes proofs possible",
        "robustness/linear_worst_case": "for a linear model the worst attack is a formula",
        "robustness/smoothing_radius": "a proof by voting under noise, for networks of any size",
        "robustness/single_step_flip": "why one gradient step is often enough",
    },
    picture=Picture("robustness/crown_and_intervals", 1),
    follows="hopfield_recall",
)
