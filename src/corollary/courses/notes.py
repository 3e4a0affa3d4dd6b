"""The sets of notes: their chapters and sections, and where their numbered results stand.

Titles are those of the tables of contents, sometimes shortened.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Notes:
    """One set of notes or slides."""

    name: str  # of the course
    cited: str  # how sources begin that cite it
    title: str
    chapters: Mapping[int, str]
    sections: Mapping[tuple[int, int], str] = field(default_factory=dict)
    topics: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # of slides, by lecture
    theorems: tuple[tuple[int, str], ...] = ()  # first number in each section, lemmas included
    definitions: tuple[tuple[int, str], ...] = ()
    located: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # figures, tables

    def section_of(self, kind: str, number: int) -> tuple[int, ...]:
        """The section that holds a theorem, a lemma or a definition of this number."""
        table = self.definitions if kind == "Definition" else self.theorems
        if not table:
            return ()
        found = table[max(0, bisect_right(table, number, key=lambda row: row[0]) - 1)][1]
        return tuple(map(int, found.split(".")))


def _sections(text: str) -> dict[tuple[int, int], str]:
    """Lines such as ``2.3 Linear autoencoder``."""
    found = {}
    for line in text.strip().splitlines():
        number, _, title = line.strip().partition(" ")
        chapter, section = map(int, number.split("."))
        found[chapter, section] = title
    return found


def _numbers(text: str) -> tuple[tuple[int, str], ...]:
    """Words such as ``14:3.2``: from Theorem 14 on, results stand in Section 3.2."""
    rows = (word.split(":") for word in text.split())
    return tuple((int(number), section) for number, section in rows)


LUCCHI = Notes(
    "lucchi-2025",
    "Lucchi (2025)",
    "Lucchi (2025), Foundations of Deep Learning",
    {
        1: "Prerequisites",
        2: "Deep learning: the basics",
        3: "Approximation theory",
        4: "Complexity theory",
        5: "Optimization",
        6: "Optimization landscape of neural networks",
        7: "Random features and the neural tangent kernel",
        8: "Generalization",
        9: "PAC-Bayes bounds",
        10: "Architecture",
        11: "Regularization",
        12: "Adversarial examples",
        13: "Double descent and the bias-variance decomposition",
    },
    _sections("""
        1.1 Notation
        1.2 Vector spaces
        1.3 Functions
        1.4 Linear algebra
        1.5 Probability theory
        1.6 Topological concepts
        1.7 Exercises
        2.1 What deep learning is
        2.2 Deep networks, formally
        2.3 Linear autoencoder
        2.4 Activations
        2.5 Multilayer perceptron
        2.6 Backpropagation
        2.7 A multilayer perceptron from scratch
        3.1 Quality of approximation
        3.2 An elementary construction
        3.3 Weierstrass theorem
        3.4 Approximation with smooth functions
        3.5 Exercises
        4.1 Escaping the curse of dimensionality
        4.2 Benefits of depth
        4.3 The convolution theorem
        4.4 Exercises
        5.1 Optimality
        5.2 Gradient descent
        5.3 Quadratic model
        5.4 Quadratic functions
        5.5 Smooth and strongly convex functions
        5.6 Convergence without convexity
        5.7 Stochastic gradient descent
        5.8 Exercises
        6.1 Loss landscape of deep linear networks
        6.2 Vanishing and exploding gradients
        6.3 The case of the cross-entropy loss
        6.4 Exercises
        7.1 Kernels
        7.2 Random feature regression
        7.3 Wide neural networks
        7.4 Exercises
        8.1 Concentration
        8.2 Uniform bounds
        8.3 VC bound
        8.4 Rademacher bound
        8.5 Exercises
        9.1 PAC-Bayes bounds
        9.2 PAC-Bayes bounds of deep networks
        10.1 Convolutional networks
        10.2 Residual layers
        10.3 Normalization
        10.4 Transformers
        10.5 Exercises
        11.1 Implicit bias of gradient descent
        11.2 Dropout
        11.3 Exercises
        12.1 Adversarial examples
        12.2 Existence of robust networks
        12.3 Adversarial examples at initialization
        12.4 Adversarial training
        13.1 Double descent
        13.2 Bias-variance decomposition
        13.3 Regimes of overfitting
    """),
    theorems=_numbers("""
        1:1.2 2:1.3.3 5:1.3.5 6:1.4.2 8:1.6 11:2.2.3 12:2.3 14:3.2 17:3.3 19:3.4 23:3.5 25:4.1
        30:4.2.1 33:4.2.2 34:5.5 38:5.6 41:5.7.1 42:6.1.2 47:6.2.1 48:6.2.3 53:7.1.1 54:7.2.1
        55:7.2.2 57:7.3 59:8.2 60:8.3 62:8.4 66:8.5 68:9.1 71:11.1.1 72:11.1.2 74:11.2 75:12.2
        76:12.3.1 78:12.3.2 80:13.2
    """),
    definitions=_numbers("""
        1:1.1.1 2:1.2 3:1.3.5 4:1.3.6 5:1.4.1 6:1.4.2 8:1.5 10:1.6 17:5.1 19:5.5 21:5.6 22:6
        25:7.1 26:7.2.2 27:8.3 29:8.4 30:11.1.2
    """),
    located={
        "Figure 4.5": (4, 2, 2),
        "Figure 7.1": (7, 1),
        "Figure 7.2": (7, 2, 2),
        "Figure 7.3": (7, 2, 2),
        "Figure 7.4": (7, 3),
        "Table 1": (9, 2),
    },
)

PEREZ_JENSEN = Notes(
    "perez-jensen-2025",
    "Perez Jensen (2025)",
    "Perez Jensen (2025), Deep Learning",
    {
        1: "Connectionism",
        2: "Feedforward networks",
        3: "Gradient-based learning",
        4: "Convolutional networks",
        5: "Recurrent neural networks",
        6: "Transformers",
        7: "Geometric deep learning",
        8: "Tricks of the trade",
        9: "Neural tangent kernel",
    },
    _sections("""
        1.1 McCulloch-Pitts neuron
        1.2 Perceptron
        1.3 Parallel distributed processing
        1.4 Hopfield networks
        2.1 Regression models
        2.2 Layers and units
        2.3 Linear and residual networks
        2.4 Sigmoid networks
        2.5 ReLU networks
        3.1 Backpropagation
        3.2 Gradient descent
        3.3 Acceleration and adaptivity
        3.4 Stochastic gradient descent
        4.1 Convolutions
        4.2 Convolutional layers
        5.1 Gated memory
        5.2 Linear recurrent models
        5.3 Sequence learning
        6.1 Self-attention
        6.2 Cross-attention
        6.3 Positional encoding
        6.4 Machine translation
        6.5 BERT
        6.6 Vision transformer
        7.1 Invariance and equivariance
        7.2 Deep sets
        7.3 PointNet
        7.4 Graph neural networks
        7.5 Spectral graph theory
        8.1 Parameter initialization
        8.2 Weight decay
        8.3 Early stopping
        8.4 Dropout
        8.5 Normalization
        8.6 Weight normalization
        8.7 Data augmentation
        8.8 Label smoothing
        8.9 Distillation
    """),
    located={"Theorem 2.8": (2, 5), "Theorem 2.9": (2, 5), "Figure 2.1": (2, 5)},
)

SLIDES_2024 = Notes(
    "lucchi-2024",
    "Lucchi (2024)",
    "Lucchi (2024), Foundations of Deep Learning (slides)",
    {1: "Lecture 1: linear networks and units"},
    topics={
        1: (
            "Coordinate change",
            "Superposition Principle",
            "Representation via Matrices",
            "Theorem 1",
            "Theorem 2",
            "Optimal Linear Autoencoder",
            "Rank Constraint",
            "Matrix Differentiation",
            "Autoencoder: Gradients",
            "Neural Network Gradients",
            "Ridge functions",
            "Rate of Change",
            "Parameter Gradients",
            "Threshold Units",
            "Proposition 3",
            "Softmax",
            "MLP: Learning",
            "Syllabus",
        )
    },
)

SLIDES_MATHEMATICAL = Notes(
    "mathematical-foundations",
    "Mathematical Foundations of Deep Learning (slides)",
    "Mathematical Foundations of Deep Learning (slides)",
    {
        1: "Learning from samples",
        2: "Optimization and stability",
        3: "Backpropagation",
        4: "Universal approximation",
        5: "Barron's theorem",
        6: "The manifold hypothesis",
        7: "Depth: Telgarsky and Montufar",
    },
    topics={
        1: ("Introduction", "Objective", "Generalization Error"),
        2: ("Optimization", "Hardt's Theorem"),
        3: ("Backpropagation",),
        4: ("Universal Approximation Theorem", "Hornik's Theorem"),
        5: ("Barron's Theorem",),
        6: ("Manifold Hypothesis",),
        7: ("Telgarsky's Theorem", "Montufar's Theorem"),
    },
)

ALL = (LUCCHI, PEREZ_JENSEN, SLIDES_2024, SLIDES_MATHEMATICAL)
