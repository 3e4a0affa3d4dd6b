"""An attack and a proof."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _margins(seen: Seen) -> str:
    k = int(seen["radii"])
    intervals, crown, found = seen.predicted[k - 1], seen.predicted[-1], seen.measured[-1]
    return (
        f"At the largest radius the attack reduces the margin to {short(found)}. Linear bounds "
        f"prove that the margin stays above {short(crown)}, intervals prove that it stays above "
        f"{short(intervals)}."
    )


def _verdict(seen: Seen) -> str:
    crown, found = seen.predicted[-1], seen.measured[-1]
    if crown > 0:
        return "This proves that no attack of this size changes the answer."
    if found > 0:
        return (
            "The attack found nothing, and the proof proves nothing. So we do not know whether "
            "this input is safe at this radius."
        )
    return "The attack succeeded: it found an input within this radius that gets another answer."


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
            "call a panda a gibbon. How safe is your classifier? An attack searches for such a "
            "change. If the attack finds one, your classifier is not safe. If it finds none, "
            "another attack may still find one."
        ),
        Part(
            "A proof comes from the other side. It follows a whole box of inputs through the "
            "network and bounds the margin from below. The margin is the score of the right class "
            "minus the score of the next best class. The smallest margin in the box lies between "
            "the upper line (the attack) and the lower lines (the proofs). Make the network "
            "deeper and watch the gap grow.",
            (
                Try("one layer", {"L": 1}),
                Try("three layers", {"L": 3}),
                Try("five layers", {"L": 5}),
            ),
            _margins,
        ),
        Part(
            "Intervals are cheap, but they lose precision at every layer, because they ignore "
            "that all units depend on the same input. Linear bounds keep some of that dependence. "
            "Both methods are sound: their lines never cross the line of the attack.",
            (),
            _verdict,
        ),
        Part(
            "The way out is to train for the proof. If the training loss uses the bounds, the "
            "network loses a little accuracy, and its robustness can be proved for most inputs. "
            "``corollary examine`` runs the attack and the proof on your own network."
        ),
    ),
    claims={
        "robustness/certified_training": "training on bounds increases the certified accuracy",
        "robustness/linear_worst_case": "for a linear model the worst attack is a formula",
        "robustness/smoothing_radius": "randomized smoothing: a proof for networks of any size",
        "robustness/single_step_flip": "why one gradient step is often enough",
    },
    picture=Picture("robustness/crown_and_intervals", 1),
    follows="hopfield_recall",
)
