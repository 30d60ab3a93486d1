"""Human judgments: reading them, ranking systems by them, and how far the judges agree."""
