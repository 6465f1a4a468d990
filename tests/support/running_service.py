"""A running lexicon service with small models."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import torch
import uvicorn

from bilex import TrainedModel, fit
from bilex.service.api.app import create_api_app
from bilex.service.api.catalog import Catalog, Models
from bilex.service.api.own_entries import OwnEntries
from bilex.service.api.pairs import ServedPair
from bilex.service.serving import listen_here
from bilex.values import EmbeddingSpace, Lexicon
from candidates import calibrated_model

ODD_WORDS = (
    "house", "New York", "and/or", ".", "..", "a/../b", "a?b#c", "100%", "%2F", "/", "straße",
    "naïve", "東京", "дом", "שלום", "👩‍🚀", "e\u0301", "a\u2028b", "\u00a0", '"q"', "back\\slash",
    "a+b", "a&b=c", "~", "x" * 199,
)  # fmt: skip
"""Words that addresses, JSON or terminals could damage."""


class Running(NamedTuple):
    """A service that runs."""

    url: str
    models: Models

    def serve(self, *pairs: ServedPair) -> None:
        """Serve other pairs from now on."""
        self.models.current = Catalog({pair.name: pair for pair in pairs})


@cache
def plain_model() -> TrainedModel:
    """Return a calibrated model with its answers."""
    return calibrated_model().with_answers()


@cache
def odd_model() -> TrainedModel:
    """Return a model without probabilities, of odd words and the same with an exclamation mark."""
    rng = torch.Generator().manual_seed(3)
    vectors = torch.randn(len(ODD_WORDS), 6, generator=rng)
    source = EmbeddingSpace(ODD_WORDS, vectors)
    target = EmbeddingSpace(tuple(f"{word}!" for word in ODD_WORDS), vectors.flip(1).contiguous())
    seeds = Lexicon.of([(word, f"{word}!") for word in ODD_WORDS[:8]])
    return fit(source, target, seeds, preset="procrustes").with_answers()


def plain_pair(own: OwnEntries | None = None) -> ServedPair:
    """Return the pair en-es."""
    return ServedPair.of("en-es", "en", "es", plain_model(), own)


def odd_pair() -> ServedPair:
    """Return the pair de-fr."""
    return ServedPair.of("de-fr", "de", "fr", odd_model())


@contextmanager
def running_service(*pairs: ServedPair) -> Iterator[Running]:
    """Run a service on a free port until the end of the block."""
    models = Models(list)
    config = uvicorn.Config(
        create_api_app(models), log_level="warning", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    with listen_here(0, 0) as socket:
        running = Running(f"http://127.0.0.1:{socket.getsockname()[1]}", models)
        running.serve(*pairs)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield running
        finally:
            server.should_exit = True
            thread.join()
