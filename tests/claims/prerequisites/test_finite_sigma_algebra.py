from corollary.claims.prerequisites.finite_sigma_algebra import FiniteSigmaAlgebra, Given
from corollary.core import Verdict
from corollary.theory.prerequisites.sigma_algebra import SigmaAlgebra


def test_the_halves_of_a_die_make_four_events_and_all_its_faces_sixty_four():
    halves = SigmaAlgebra.generate(range(6), [{0, 1, 2}])
    faces = SigmaAlgebra.generate(range(6), [{i} for i in range(6)])
    for found, count in ((halves, 4), (faces, 64)):
        result = FiniteSigmaAlgebra().check_given(Given(found.omega, found.members))
        assert result.verdict is Verdict.HOLDS and result.predicted == (count,)


def test_without_a_union_there_are_six_events():
    refuted = FiniteSigmaAlgebra().refute()
    assert refuted.fails and (refuted.predicted, refuted.measured[0].value) == ((4.0,), 6.0)
