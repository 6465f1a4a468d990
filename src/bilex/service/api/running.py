"""Run the API: one process, or several workers that share the memory of the models."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import torch
import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.middleware import Middleware

from bilex.errors import SettingError
from bilex.service.api.access import RequireKey
from bilex.service.api.app import create_api_app
from bilex.service.api.catalog import Models
from bilex.service.api.guards import LimitBody, LimitConcurrency, LimitTime
from bilex.service.api.keys import WatchedKeys
from bilex.service.api.pairs import ServedPair
from bilex.service.api.patience import make_protocol
from bilex.service.api.rates import Rates
from bilex.service.api.settings import ServerSettings

_log = logging.getLogger(__name__)

_THREADS = 8  # that answer requests in each worker; more of them only wait for one another
_SWITCH_SECONDS = 0.001  # a thread with much to do lets others in after this time


def prepare_process() -> None:
    """Set up the process before models are loaded.

    One thread for torch: its pools do not survive a fork, and requests run side by side anyway.
    """
    torch.set_num_threads(1)
    sys.setswitchinterval(_SWITCH_SECONDS)


def serve_api(settings: ServerSettings, models: Models, listening: socket.socket) -> None:
    """Serve until SIGTERM or Ctrl-C.

    Args:
        settings: How.
        models: What; loaded already, and prepared by `warm_up`.
        listening: The socket.

    Raises:
        SettingError: If there cannot be several workers here.
    """
    if settings.workers > 1 and sys.platform == "win32":
        raise SettingError(f"{settings.workers} workers are not possible on Windows: use one")
    freeze_memory()
    if settings.workers == 1:
        with _signals_ignored("SIGHUP"):
            _serve_alone(settings, models, listening)
        return
    with _folder() as folder:
        from bilex.service.api.workers import serve_with_workers

        serve_with_workers(settings, models, listening, folder)


def create_served_app(
    settings: ServerSettings, models: Models, folder: Path | None = None
) -> FastAPI:
    """Return the API with guards, log and metrics.

    Args:
        settings: How it is served.
        models: What is served.
        folder: Where several workers keep what they share; None if there is one.
    """
    from bilex.service.api.metrics import Metrics, router
    from bilex.service.api.observing import Observe

    keys = None if settings.keys is None else WatchedKeys(settings.keys)
    rates = Rates(None if folder is None else shared_rates(folder))
    guards = (
        Middleware(LimitTime, seconds=settings.answer_seconds),
        Middleware(LimitBody, most=settings.body_bytes, seconds=settings.body_seconds),
        Middleware(LimitConcurrency, at_once=settings.at_once),
        Middleware(RequireKey, keys=keys, rates=rates, local=keys is None and settings.is_local),
    )
    app = create_api_app(models, has_page=settings.has_page, guards=guards)
    app.state.draining = False
    app.state.metrics = Metrics(
        lambda: models.current, None if folder is None else shared_metrics(folder)
    )
    app.include_router(router)
    app.add_middleware(
        Observe,
        metrics=app.state.metrics,
        is_logged=settings.log,
        is_draining=lambda: bool(app.state.draining),
    )
    return app


def server_config(settings: ServerSettings, app: FastAPI) -> uvicorn.Config:
    """Return the settings of a process that answers requests."""
    return uvicorn.Config(
        app,
        http=make_protocol(settings.body_seconds),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=round(settings.idle_seconds),
        timeout_graceful_shutdown=round(settings.stop_seconds),
        proxy_headers=bool(settings.proxies),  # otherwise anybody could claim to be anywhere
        forwarded_allow_ips=settings.proxies or [],
    )


class DrainingServer(uvicorn.Server):
    """After SIGTERM, says for a while that it is about to stop; then it stops.

    So a load balancer sends requests elsewhere before connections are refused.
    """

    def __init__(self, config: uvicorn.Config, app: FastAPI, drain: float) -> None:
        super().__init__(config)
        self._api, self._drain = app, drain
        self._end: float | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        current_default_thread_limiter().total_tokens = _THREADS
        await super().startup(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop now; called ten times a second."""
        if self._end is not None and time.monotonic() >= self._end:
            self.should_exit = True
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal. SIGTERM may come twice, from a parent and for its whole group."""
        self._api.state.draining = True
        if sig == signal.SIGTERM:
            if self._end is None:
                self._end = time.monotonic() + self._drain
        elif self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        else:
            self.should_exit = True


def warm_up(pair: ServedPair) -> None:
    """Make what answers need, so that workers share it and no request waits for it."""
    for reverse in (False, True):
        direction = pair.direction(reverse=reverse)
        first = direction.page(0, 1, min_probability=0.0).entries
        word = first[0].source if first else "a"
        direction.translate([word], k=1)
        direction.glossary(word, max_terms=1, k=1, min_probability=0.0, similar=True)


def freeze_memory() -> None:
    """Tell the garbage collector not to look at what is there now: it stays shared."""
    gc.collect()
    gc.freeze()


def shared_rates(folder: Path) -> Path:
    """Return where workers count the requests of keys."""
    return folder / "rates"


def shared_metrics(folder: Path) -> Path:
    """Return where workers keep their metrics."""
    return folder / "metrics"


def _serve_alone(settings: ServerSettings, models: Models, listening: socket.socket) -> None:
    app = create_served_app(settings, models)
    server = DrainingServer(server_config(settings, app), app, settings.drain)
    server.run(sockets=[listening])
    # Work that did not end in time is left alone; the interpreter would wait for it.
    if any(thread.name.startswith("AnyIO") for thread in threading.enumerate()):
        time.sleep(0.1)
        if any(thread.name.startswith("AnyIO") for thread in threading.enumerate()):
            _log.warning("stopped with work that took longer than %g s", settings.stop_seconds)
            os._exit(0)


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder for what workers share; the process that made it removes it."""
    owner = os.getpid()
    folder = Path(tempfile.mkdtemp(prefix="bilex-serve-"))
    try:
        for inner in (shared_rates(folder), shared_metrics(folder)):
            inner.mkdir()
        yield folder
    finally:
        if os.getpid() == owner:  # workers leave through here, too
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _signals_ignored(*names: str) -> Iterator[None]:
    found = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {}
    with suppress(ValueError):  # not the main thread
        before = {one: signal.signal(one, signal.SIG_IGN) for one in found}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
