"""Intervals and tests, computed from sufficient statistics alone."""
