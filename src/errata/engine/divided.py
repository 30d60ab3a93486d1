"""The old place of `Divided`. This module goes at the merge."""

from errata.engine.compatibility import Divided

__all__ = ["Divided"]
