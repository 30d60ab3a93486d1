"""Meta-evaluation: which metric agrees with people, at the level of systems and of sentences."""
