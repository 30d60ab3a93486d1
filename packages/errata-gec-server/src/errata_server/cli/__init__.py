"""The verbs `campaign` and `task`."""
