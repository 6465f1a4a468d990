"""Several processes that answer requests, started and replaced by gunicorn; not on Windows."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from uvicorn_worker import UvicornWorker

from bilex.service.api.catalog import Models
from bilex.service.api.running import (
    DrainingServer,
    create_served_app,
    freeze_memory,
    server_config,
    shared_metrics,
)
from bilex.service.api.settings import ServerSettings

_log = logging.getLogger(__name__)

_UNRESPONSIVE = 30  # seconds after which a worker that gives no sign is replaced
_SIGN = 1  # seconds between two signs


def serve_with_workers(
    settings: ServerSettings, models: Models, listening: socket.socket, folder: Path
) -> None:
    """Serve with several workers until SIGTERM or Ctrl-C.

    Args:
        settings: How.
        models: What; loaded already, and shared by the workers.
        listening: The socket.
        folder: For what workers share.
    """
    # Before the module of the metrics is imported, which looks at it.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(shared_metrics(folder))
    owner = os.getpid()
    try:
        WorkerApplication(settings, models, listening, folder).run()
    except SystemExit as end:
        if os.getpid() != owner or end.code:
            raise


class WorkerApplication(BaseApplication):  # type: ignore[misc]
    """The API as gunicorn takes it."""

    def __init__(
        self, settings: ServerSettings, models: Models, listening: socket.socket, folder: Path
    ) -> None:
        self.settings, self.models, self.folder = settings, models, folder
        self._listening = os.dup(listening.fileno())
        super().__init__()

    def load_config(self) -> None:
        """Give gunicorn its settings."""
        settings = self.settings
        chosen = {
            "bind": f"fd://{self._listening}",
            "workers": settings.workers,
            "worker_class": Worker,
            "preload_app": True,
            "timeout": _UNRESPONSIVE,
            "graceful_timeout": round(settings.drain + settings.stop_seconds + 2),
            "logger_class": _Log,
            "control_socket_disable": True,
            "pre_fork": self._before_fork,
            "child_exit": self._after_worker,
        }
        for name, value in chosen.items():
            if name in self.cfg.settings:  # not all versions have a control socket
                self.cfg.set(name, value)

    def load(self) -> FastAPI:
        """Return the API; called once, before workers are started."""
        return create_served_app(self.settings, self.models, self.folder)

    def _before_fork(self, arbiter: Any, worker: Any) -> None:  # noqa: ANN401 - not typed
        """Bring the models up to date: a worker that replaces another one shares them."""
        try:
            if self.models.refresh():
                freeze_memory()
        except Exception:  # noqa: BLE001 - the others go on
            _log.exception("the models could not be brought up to date")

    def _after_worker(self, arbiter: Any, worker: Any) -> None:  # noqa: ANN401
        from bilex.service.api.metrics import forget_worker

        forget_worker(worker.pid, shared_metrics(self.folder))


class Worker(UvicornWorker):  # type: ignore[misc]
    """A process that answers requests."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - as gunicorn gives them
        super().__init__(*args, **kwargs)
        self._server: DrainingServer | None = None
        for name in ("uvicorn.error", "uvicorn.access"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [], True
            logger.setLevel(logging.WARNING)

    async def callback_notify(self) -> None:
        """Give a sign of life; if nobody is there to look at it, clean up and stop."""
        self.notify()
        if os.getppid() != self.ppid and self._server is not None:
            shutil.rmtree(self.app.folder, ignore_errors=True)
            self._server.handle_exit(signal.SIGQUIT, None)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ANN401
        """Stop without draining."""
        if self._server is not None:
            self._server.handle_exit(sig, frame)

    def run(self) -> None:
        """Answer requests until the end."""
        super().run()
        # Not by the way of the interpreter, which would copy shared memory to take it down.
        logging.shutdown()
        os._exit(0)

    async def _serve(self) -> None:
        application: WorkerApplication = self.app
        app: FastAPI = self.wsgi
        config = server_config(application.settings, app)
        config.callback_notify, config.timeout_notify = self.callback_notify, _SIGN
        self._server = DrainingServer(config, app, application.settings.drain)
        self._install_sigquit_handler()
        await self._server.serve(sockets=self.sockets)


class _Log(Logger):  # type: ignore[misc]
    """Writes to the log of the server."""

    def setup(self, cfg: Any) -> None:  # noqa: ANN401
        """Leave it to the root logger."""
        self.cfg = cfg
        self._access_log_enabled = False
        self.error_log.propagate = True
        self.error_log.handlers = []
