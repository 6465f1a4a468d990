"""Progress of long work: one bar, with a reliable estimate of the time left."""

from bilex.progress.bar import WorkBar, work_bar
from bilex.progress.stages import OnProgress, Stages, WorkProgress

__all__ = ["OnProgress", "Stages", "WorkBar", "WorkProgress", "work_bar"]
