"""Metrics of the editing benchmarks: SARI, EM-Diff, ID and iBLEU."""
