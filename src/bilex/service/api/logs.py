"""The log of the server: one line of JSON for each event, without what people asked."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

REQUESTS = "bilex.requests"
"""The logger of requests."""

_FRAMES = 12


class JsonLines(logging.Formatter):
    """Formats records as lines of JSON.

    Of an error, the kind and the places in the code are written, not its message: it may have words
    of a request in it.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"time": at.replace("+00:00", "Z")}
        request = getattr(record, "request", None)
        if isinstance(request, dict):
            line |= request
        else:
            line |= {
                "level": record.levelname.lower(),
                "logger": record.name,
                "message": record.getMessage(),
            }
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
            line["error"] = type(error).__name__
            line["where"] = [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in frames]
        return json.dumps(line, ensure_ascii=False)


def log_to(stream: TextIO) -> None:
    """Write all logs of this process to a stream from now on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("bilex", REQUESTS, "gunicorn.error"):
        logging.getLogger(name).setLevel(logging.INFO)
