"""Verified leaderboards: published outputs scored again, beside the figures that their authors print."""
