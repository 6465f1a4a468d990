"""First maps, found without seed pairs."""

from bilex.alignment.starts.automatic import Automatic
from bilex.alignment.starts.convex import ConvexRelaxation
from bilex.alignment.starts.gromov import GromovWasserstein
from bilex.alignment.starts.identical import IdenticalStrings

__all__ = ["Automatic", "ConvexRelaxation", "GromovWasserstein", "IdenticalStrings"]
