"""All detectors, new for each run."""

from corollary.watch.detect.accumulation import Cleared, Weights
from corollary.watch.detect.carried import Carried
from corollary.watch.detect.clip_calls import ClipCalls
from corollary.watch.detect.clipping import AfterStep, Clipping
from corollary.watch.detect.closures import Closures
from corollary.watch.detect.data import Batches, Labels
from corollary.watch.detect.dependence import Dependence
from corollary.watch.detect.detector import Detector
from corollary.watch.detect.examples import Examples
from corollary.watch.detect.frozen import FrozenStatistics
from corollary.watch.detect.gradients import DeadUnits, Vanishing, Zero
from corollary.watch.detect.in_vain import InVain
from corollary.watch.detect.inputs import Inputs, Tokens
from corollary.watch.detect.inside import InsideLayers
from corollary.watch.detect.loads import Loads
from corollary.watch.detect.loss_form import LossForm
from corollary.watch.detect.loss_inputs import LossInputs
from corollary.watch.detect.mode import Mode, RandomEvaluation
from corollary.watch.detect.optimizers import Recreated, Settings
from corollary.watch.detect.order import Order
from corollary.watch.detect.outside import (
    Identical,
    OtherModel,
    ReplacedWeights,
    SameSeed,
)
from corollary.watch.detect.ownership import CutGraph, Ownership
from corollary.watch.detect.pace import Pace
from corollary.watch.detect.pairing import Pairing
from corollary.watch.detect.plateau import Plateau
from corollary.watch.detect.precision import Rounded, Unscaled
from corollary.watch.detect.protocol import Backward, KeptGraphs, ZeroGrad
from corollary.watch.detect.rates import Rates
from corollary.watch.detect.schedule import Schedule
from corollary.watch.detect.shadows import Shadows
from corollary.watch.detect.stability import Spikes, Stability
from corollary.watch.detect.strangers import Strangers
from corollary.watch.detect.surrogates import Surrogates
from corollary.watch.detect.targets import Targets
from corollary.watch.detect.unstepped import Unstepped
from corollary.watch.detect.unused import Unused
from corollary.watch.detect.validation import Validation
from corollary.watch.detect.views import Views


def detectors() -> list[Detector]:
    """One of each."""
    return [
        ZeroGrad(),
        Backward(),
        KeptGraphs(),
        Ownership(),
        CutGraph(),
        Strangers(),
        Settings(),
        Recreated(),
        Rounded(),
        Unscaled(),
        Mode(),
        RandomEvaluation(),
        LossForm(),
        Inputs(),
        Tokens(),
        ReplacedWeights(),
        OtherModel(),
        SameSeed(),
        Identical(),
        Schedule(),
        Pace(),
        Batches(),
        Labels(),
        Pairing(),
        Clipping(),
        AfterStep(),
        Cleared(),
        Weights(),
        InsideLayers(),
        Vanishing(),
        Zero(),
        DeadUnits(),
        Stability(),
        Spikes(),
        ClipCalls(),
        Closures(),
        Dependence(),
        Examples(),
        FrozenStatistics(),
        InVain(),
        LossInputs(),
        Plateau(),
        Shadows(),
        Unstepped(),
        Unused(),
        Carried(),
        Loads(),
        Order(),
        Rates(),
        Surrogates(),
        Targets(),
        Validation(),
        Views(),
    ]
