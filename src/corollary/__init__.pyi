from collections.abc import Callable
from typing import Any

from corollary import curvature as curvature
from corollary import data as data
from corollary import generalization as generalization
from corollary import kernels as kernels
from corollary import models as models
from corollary import regions as regions
from corollary import robustness as robustness
from corollary import scaling as scaling
from corollary import spectra as spectra
from corollary import train as train
from corollary.core import Claim as Claim
from corollary.core import Figure as Figure
from corollary.core import Result as Result
from corollary.core import Verdict as Verdict
from corollary.examine.examiner import examine as examine
from corollary.registry import claim as claim
from corollary.registry import entries as entries
from corollary.registry import find as find
from corollary.run.check import check as check
from corollary.run.prove import prove as prove
from corollary.watch.watcher import watch as watch
from corollary.widget.making import widget as widget

__version__: str

def lazily(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]: ...
