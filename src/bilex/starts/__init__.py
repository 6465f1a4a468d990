"""First maps, found without any seed pair."""

from bilex.starts.automatic import Automatic
from bilex.starts.convex import ConvexRelaxation
from bilex.starts.gromov import GromovWasserstein
from bilex.starts.identical import IdenticalStrings

__all__ = ["Automatic", "ConvexRelaxation", "GromovWasserstein", "IdenticalStrings"]
