"""A Python that runs block after block in one namespace: started for each page by `running`.

A request is a line of JSON on stdin, the answer a line of JSON on what was stdout; what the blocks
print goes to the file that the request names.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import traceback
import types
from pathlib import Path


def run(code: str, file: str, line: int) -> str:
    """Run a block; return the traceback of an error, with lines as numbered in the page."""
    text = "\n" * (line - 1) + code
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        exec(compile(text, file, "exec"), sys.modules["__main__"].__dict__)  # noqa: S102
    except BaseException as error:  # noqa: BLE001 - also SystemExit: the page goes on
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return "".join(traceback.format_exception(error))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return ""


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Classes of a block look up their module, so it must be a true one.
    sys.modules["__main__"] = types.ModuleType("__main__")
    for request in sys.stdin:
        wanted = json.loads(request)
        os.chdir(wanted["folder"])
        for stream, name in ((1, "output"), (2, "errors")):
            with Path(wanted[name]).open("wb") as file:
                os.dup2(file.fileno(), stream)
        answer = run(wanted["code"], wanted["file"], wanted["line"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
