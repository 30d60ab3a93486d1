"""The verbs `correct`, `noise` and `train`."""
