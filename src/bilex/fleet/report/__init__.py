"""The report of a fleet: one HTML page, made from the results in its folder."""

from bilex.fleet.report.writing import write_fleet_report

__all__ = ["write_fleet_report"]
