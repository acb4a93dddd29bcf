"""How the shipped Connect Four agent was made."""
