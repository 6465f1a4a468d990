"""A command that is killed at any moment leaves its output as it was, or complete."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bilex.storage import files
from conftest_types import Bilex
from killing import COMMANDS, leftovers, run_and_kill

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")

MOST_CALLS = 200


@pytest.mark.parametrize("exchanges", [True, False], ids=["exchange", "steps"])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_any_file_system_call_leaves_the_output_whole(
    bilex: Bilex, model: Path, name: str, exchanges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchanges:
        monkeypatch.setattr(files, "_renameat2", lambda: None)
    arguments, read = COMMANDS[name]
    output = Path(arguments[arguments.index("-o") + 1])
    kills = absent = 0
    for before in (True, False):
        for number in range(1, MOST_CALLS):
            # A run to the end first: it removes what the last kill left, so that no call is missed.
            assert bilex(*arguments).code == 0
            assert leftovers(Path()) == []
            if not run_and_kill(arguments, number, before=before):
                break
            kills += 1
            absent += not output.exists()
            read(output)  # what was there before, or what was to be
            assert output.exists()
        else:
            pytest.fail("the command never ended")
    assert kills >= 3
    if exchanges:
        assert not absent
    elif output.is_dir():
        assert absent  # between two renames: reading recovers the folder
