"""The tasks that are waiting, and the policies that decide which one runs next.

A policy is a plugin. Another package adds one with a frozen dataclass that has the method of
`QueuePolicy`, declared in the entry-point group `bilex.queue`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol

from bilex.errors import PluginError
from bilex.jobs.task import Task, TaskT


class QueuePolicy(Protocol):
    """Decides which task a free worker runs next."""

    def choose(
        self, waiting: Sequence[Task], *, last: Task | None, held: Mapping[Hashable, int]
    ) -> int:
        """Return the position in `waiting` of the task to run.

        Args:
            waiting: The tasks that no worker has begun, in the order of the list; at least one.
            last: The previous task of the worker, whose inputs it still has; None for a new
                worker.
            held: The number of other workers on each group; groups without workers may be missing.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """Keeps a worker on the group whose inputs it has, then on the group with the fewest workers.

    Inputs are loaded as rarely as possible. Several workers share a group only when there are
    fewer groups than workers.
    """

    def choose(
        self, waiting: Sequence[Task], *, last: Task | None, held: Mapping[Hashable, int]
    ) -> int:
        """Return the first task of the same group, else of the group with fewest workers."""
        if last is not None:
            # Ends at the first task of the group: a list of all groups is slow for many tasks.
            wanted = last.group
            for place, task in enumerate(waiting):
                if task.group == wanted:
                    return place
        groups = [task.group for task in waiting]
        return groups.index(min(dict.fromkeys(groups), key=lambda group: held.get(group, 0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """Runs tasks in the order of the list."""

    def choose(
        self, waiting: Sequence[Task], *, last: Task | None, held: Mapping[Hashable, int]
    ) -> int:
        """Return the first task."""
        return 0


class TaskQueue(Generic[TaskT]):
    """Hands out tasks one by one.

    Args:
        tasks: The tasks to run.
        policy: Decides the order.
        is_missing: Called just before a task is handed out; False if another run has finished it.
    """

    def __init__(
        self, tasks: Sequence[TaskT], policy: QueuePolicy, is_missing: Callable[[TaskT], bool]
    ) -> None:
        self._waiting = list(tasks)
        self._policy = policy
        self._is_missing = is_missing
        self._held: Counter[Hashable] = Counter()
        self.done_elsewhere: list[TaskT] = []

    def take(self, last: TaskT | None = None) -> TaskT | None:
        """Return the next task for a worker that has just finished `last`; None at the end.

        Raises:
            PluginError: If the policy chooses a task that does not exist.
        """
        if last is not None:
            self._held[last.group] -= 1
        while self._waiting:
            task = self._waiting.pop(self._choose(last))
            if self._is_missing(task):
                self._held[task.group] += 1
                return task
            self.done_elsewhere.append(task)
        return None

    def _choose(self, last: TaskT | None) -> int:
        position = self._policy.choose(tuple(self._waiting), last=last, held=self._held)
        if not isinstance(position, int) or not 0 <= position < len(self._waiting):
            raise PluginError(
                f"the queue policy {type(self._policy).__name__} chose task number {position!r} "
                f"of {len(self._waiting)}: expected a number from 0 to {len(self._waiting) - 1}; "
                "choose another policy, or report this to its author"
            )
        return position
