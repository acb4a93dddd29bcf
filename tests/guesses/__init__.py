"""The answers of the guesses, each worked out without the text: `TRUTHS`, name -> a function of no argument."""
