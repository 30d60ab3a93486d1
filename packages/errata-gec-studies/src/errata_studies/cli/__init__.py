"""The verb `replicate`."""
