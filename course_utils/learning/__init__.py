"""From play to a better player: self-play, replay, training, matches."""
