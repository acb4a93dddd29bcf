"""Searches: what to play, worked out by looking ahead."""
