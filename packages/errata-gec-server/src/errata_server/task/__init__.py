"""The server of a shared task: teams submit outputs, workers score them on hidden gold, a board shows it."""
