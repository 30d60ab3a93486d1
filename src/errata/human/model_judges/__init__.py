"""Chat models as judges of corrections; their judgments have the form of people's."""

from errata.human.model_judges.judging import METHODS, Report, judge

__all__ = ["METHODS", "Report", "judge"]
