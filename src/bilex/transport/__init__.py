"""Steps that learn a map by matching the two vocabularies through optimal transport."""

from bilex.transport.quality import mean_csls, transport_cost
from bilex.transport.relaxed_matching import RelaxedMatching
from bilex.transport.rounding import Rounding, barycenters
from bilex.transport.sinkhorn import Sinkhorn, TransportPlan
from bilex.transport.wasserstein_procrustes import FollowingPrior, WassersteinProcrustes

__all__ = [
    "FollowingPrior",
    "RelaxedMatching",
    "Rounding",
    "Sinkhorn",
    "TransportPlan",
    "WassersteinProcrustes",
    "barycenters",
    "mean_csls",
    "transport_cost",
]
