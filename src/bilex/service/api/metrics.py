"""Counts for Prometheus, of all workers together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from bilex.service.api.catalog import Catalog
from bilex.storage.version import __version__

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers keep their counts; has to be set before this module is imported."""

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

router = APIRouter(include_in_schema=False)


class Metrics:
    """Counts requests, and makes the text that Prometheus reads.

    Args:
        catalog: Returns what is served now.
        folder: Where several workers keep their counts; None if there is one.
    """

    def __init__(self, catalog: Callable[[], Catalog], folder: Path | None = None) -> None:
        own = CollectorRegistry()
        self._requests = Counter(
            "bilex_requests", "Requests answered.", ("route", "status"), registry=own
        )
        self._seconds = Histogram(
            "bilex_request_seconds",
            "Time from a request to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=own,
        )
        self._in_progress = Gauge(
            "bilex_requests_in_progress",
            "Requests that are being answered.",
            multiprocess_mode="livesum",
            registry=own,
        )
        self._words = Counter(
            "bilex_words_translated", "Words translated.", ("pair",), registry=own
        )
        self._characters = Counter(
            "bilex_glossary_characters", "Characters of texts.", ("pair",), registry=own
        )
        self._registry = own
        if folder is not None:
            self._registry = CollectorRegistry()
            MultiProcessCollector(self._registry, path=str(folder))  # type: ignore[no-untyped-call]
        self._registry.register(_Served(catalog))

    def in_progress(self) -> AbstractContextManager[object]:
        """Count a request as running as long as the context is open."""
        return self._in_progress.track_inprogress()

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_words(self, pair: str, number: int) -> None:
        """Count words that were translated."""
        self._words.labels(pair).inc(number)

    def count_characters(self, pair: str, number: int) -> None:
        """Count characters of a text whose terms were found."""
        self._characters.labels(pair).inc(number)

    def text(self) -> bytes:
        """Return all counts in the format of Prometheus."""
        return generate_latest(self._registry)


def forget_worker(process: int, folder: Path) -> None:
    """Leave out what a worker was doing when it ended; its counts stay."""
    mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]


@router.get("/metrics")
def read_metrics(request: Request) -> Response:
    """Return the counts of all workers."""
    metrics: Metrics = request.app.state.metrics
    return Response(metrics.text(), media_type=_CONTENT_TYPE)


class _Served(Collector):
    """What is served, as metrics that are always 1."""

    def __init__(self, catalog: Callable[[], Catalog]) -> None:
        self._catalog = catalog

    def collect(self) -> Iterable[Metric]:
        version = GaugeMetricFamily("bilex_info", "The version.", labels=("version",))
        version.add_metric((__version__,), 1)
        yield version
        names = ("pair", "source", "target", "model")
        models = GaugeMetricFamily("bilex_model_info", "The pairs that are served.", labels=names)
        for pair in self._catalog().pairs.values():
            models.add_metric((pair.name, pair.source, pair.target, pair.identity or ""), 1)
        yield models
