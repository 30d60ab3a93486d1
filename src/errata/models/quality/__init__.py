"""Training of quality estimators: a number per text, on top of any encoder."""
