"""A lexicon service, used from Python like a model in a folder."""

from bilex.client.client import Client
from bilex.client.connection import Connection
from bilex.client.values import PairInfo, WordEntry

__all__ = ["Client", "Connection", "PairInfo", "WordEntry"]
