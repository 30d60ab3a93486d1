"""Runs a system on a benchmark and scores its answers (`errata run`)."""

from errata.runner.run import Run, read_run, run
from errata.runner.systems import ChatSystem, Command, Function, LanguageTool, System

__all__ = ["ChatSystem", "Command", "Function", "LanguageTool", "Run", "System", "read_run", "run"]
