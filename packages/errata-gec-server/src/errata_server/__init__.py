"""Web applications for errata: campaigns of human evaluation and shared tasks, and what both share."""
