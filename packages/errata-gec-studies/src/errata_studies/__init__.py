"""Studies of grammatical error correction: published tables and figures, computed again."""
