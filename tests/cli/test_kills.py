"""A command that is killed at any moment leaves its output as it was, or complete."""

from __future__ import annotations

import os
import shutil
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
    assert bilex(*arguments).code == 0
    kills = 0
    for before in (True, False):
        for number in range(1, MOST_CALLS):
            if not run_and_kill(arguments, number, before=before):
                break
            kills += 1
            assert output.exists() or not exchanges
            read(output)  # what was there before, or what was to be; puts it back in place
            assert output.exists()
            if number % 3 == 0:  # now and then, so that leftovers of several kills add up
                assert bilex(*arguments).code == 0
                assert leftovers(Path()) == []
                read(output)
        else:
            pytest.fail("the command never ended")
        assert bilex(*arguments).code == 0
        assert leftovers(Path()) == []
    assert kills >= 2
    shutil.rmtree(output, ignore_errors=True)
