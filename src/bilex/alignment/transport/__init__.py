"""Steps that learn a map by matching the two vocabularies through optimal transport."""

from bilex.alignment.transport.relaxed_matching import RelaxedMatching
from bilex.alignment.transport.rounding import Rounding, barycenters
from bilex.alignment.transport.sinkhorn import Sinkhorn, TransportPlan
from bilex.alignment.transport.wasserstein_procrustes import FollowingPrior, WassersteinProcrustes

__all__ = [
    "FollowingPrior",
    "RelaxedMatching",
    "Rounding",
    "Sinkhorn",
    "TransportPlan",
    "WassersteinProcrustes",
    "barycenters",
]
