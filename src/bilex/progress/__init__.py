"""How far a long piece of work is, told to people: one bar, with a time that can be believed."""

from bilex.progress.bar import WorkBar, work_bar
from bilex.progress.stages import OnProgress, Stages, WorkProgress

__all__ = ["OnProgress", "Stages", "WorkBar", "WorkProgress", "work_bar"]
