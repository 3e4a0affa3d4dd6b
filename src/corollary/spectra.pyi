from corollary.theory.generalization.weight_spectra.layers import LogNorms as LogNorms
from corollary.theory.generalization.weight_spectra.layers import WeightMatrix as WeightMatrix
from corollary.theory.generalization.weight_spectra.layers import (
    convolution_eigenvalues as convolution_eigenvalues,
)
from corollary.theory.generalization.weight_spectra.layers import eigenvalues as eigenvalues
from corollary.theory.generalization.weight_spectra.layers import layers_of as layers_of
from corollary.theory.generalization.weight_spectra.layers import log_norms as log_norms
from corollary.theory.generalization.weight_spectra.layers import stable_rank as stable_rank
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    MarchenkoPastur as MarchenkoPastur,
)
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    law_p_value as law_p_value,
)
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    null_distances as null_distances,
)
from corollary.theory.generalization.weight_spectra.marchenko_pastur import (
    random_spectrum as random_spectrum,
)
from corollary.theory.generalization.weight_spectra.portrait import Portrait as Portrait
from corollary.theory.generalization.weight_spectra.portrait import TestedTail as TestedTail
from corollary.theory.generalization.weight_spectra.portrait import portrait as portrait
from corollary.theory.generalization.weight_spectra.portrait import portraits as portraits
from corollary.theory.generalization.weight_spectra.power_law import TailFit as TailFit
from corollary.theory.generalization.weight_spectra.power_law import power_law as power_law
from corollary.theory.generalization.weight_spectra.random_start import RandomStart as RandomStart
from corollary.theory.generalization.weight_spectra.random_start import random_start as random_start
from corollary.theory.generalization.weight_spectra.spikes import Spikes as Spikes
from corollary.theory.generalization.weight_spectra.spikes import spike_ceiling as spike_ceiling
from corollary.theory.generalization.weight_spectra.spikes import spike_place as spike_place
from corollary.theory.generalization.weight_spectra.spikes import spike_size as spike_size
from corollary.theory.generalization.weight_spectra.spikes import spikes as spikes
from corollary.theory.generalization.weight_spectra.spikes import visible_from as visible_from
from corollary.theory.generalization.weight_spectra.tail_tests import RivalTest as RivalTest
from corollary.theory.generalization.weight_spectra.tail_tests import compared as compared
from corollary.theory.generalization.weight_spectra.tail_tests import (
    goodness_of_fit as goodness_of_fit,
)
from corollary.theory.generalization.weight_spectra.tracy_widom import (
    largest_eigenvalue_scale as largest_eigenvalue_scale,
)
from corollary.theory.generalization.weight_spectra.tracy_widom import (
    noise_ceiling as noise_ceiling,
)
from corollary.theory.generalization.weight_spectra.tracy_widom import tracy_widom as tracy_widom
from corollary.theory.generalization.weight_spectra.tracy_widom import (
    tracy_widom_quantile as tracy_widom_quantile,
)
