"""From play to a better player: self-play, examples, training, matches."""
