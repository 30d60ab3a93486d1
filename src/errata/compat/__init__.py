"""The Python calls of other packages: `from errata.compat import errant, gec_metrics`."""
