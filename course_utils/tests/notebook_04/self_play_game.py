"""Check self_play_game: a game against oneself, and an example from each position."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import add_root_noise, sample_action, value_targets
from course_utils.search.puct import mcts_search
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.chance import follows_the_seed, near
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork


def scene(draw) -> str:
    """Play a game without noise in which every move is greedy, so nothing is random."""
    game, seed, simulations, c_puct = draw
    return (
        f"game, rng = {game}, np.random.default_rng({seed})\nnetwork = HashNetwork(game.num_actions, {seed})\n"
        f"examples = self_play_game(game, network, rng, simulations={simulations}, c_puct={c_puct}, "
        "exploratory_plies=0, noise_fraction=0.0)\ntold(examples)"
    )


def told(examples: Examples) -> str:
    """Describe each example in a line: the marks of the player to move (m) and of the opponent (o), policy, value."""
    lines = []
    for (mine, theirs), policy, value in zip(examples.planes, examples.policy, examples.value, strict=True):
        marks = np.where(mine > 0, "m", np.where(theirs > 0, "o", "."))
        shares = ", ".join(f"{action}: {policy[action]:.3g}" for action in np.flatnonzero(policy))
        lines.append(f"{' '.join(''.join(row) for row in marks)}  policy {{{shares}}}  value {value + 0:g}")
    return "\n".join([*lines, f"{len(lines)} examples"])


ROW = (
    "game = ConnectN(rows=1, columns=5, n=5)  # a row of five cells, in which no player wins: priors and chance decide"
)


def vary(games: list[Examples]) -> list[bool]:
    """Say of the first four moves whether each differs between games with the same earlier moves."""
    lines = [np.diff(game.planes.sum(axis=(1, 2)), axis=0).argmax(axis=1).tolist() for game in games]
    return [
        len({(*line[:ply], line[ply]) for line in lines}) > len({(*line[:ply],) for line in lines}) for ply in range(4)
    ]


def largest_shares(games: list[Examples]) -> np.ndarray:
    """Average the largest share of the visits over the games, for each of the first four searches."""
    return np.mean([game.policy[:4].max(axis=1) for game in games], axis=0)


def is_examples(result) -> str:
    good = isinstance(result, Examples)
    return "" if good else f"expected Examples, as the given last line makes them, got {show(result)}"


GAME = """
    X plays 0, O 3, X 1, O 4, and X wins on 2
    >>> network = ConstantNetwork(0.0, [5, 3, 1, 4, 2, 0, 0, 0, 0])
    >>> rng, more = np.random.default_rng(0), dict(simulations=3, exploratory_plies=0, noise_fraction=0.0)
    >>> examples = self_play_game(TicTacToe(), network, rng, **more)"""
PLIES = "How many moves have been sampled when the first greedy move is made?"
NOISY = (
    "Which arguments of mcts_search add noise to the root's prior, and for which moves of the game do you pass them?"
)
BY_HAND = f"""
    one example for each position in which a player had to move{GAME}
    >>> len(examples)
    5
    ? In which positions of the game is a move chosen: in the first one, and in the last one?

    the positions, each as the player to move saw it before moving (2 points){GAME}
    >>> examples.planes[2]
    [[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]]]
    ? Which position was searched: the one before the move, or the one after it?

    the policy to learn is the visits divided by their sum, even where the move was greedy (2 points){GAME}
    >>> examples.policy[0]
    [2 / 3, 0, 0, 1 / 3, 0, 0, 0, 0, 0]
    ? What did the search find out about the moves that were not played?

    the policy to learn is the same where the move was sampled
    >>> network, rng = ConstantNetwork(0.0, [5, 3, 1, 4, 2, 0, 0, 0, 0]), np.random.default_rng(SEED)
    >>> examples = self_play_game(TicTacToe(), network, rng, simulations=3, exploratory_plies=1, noise_fraction=0.0)
    >>> examples.policy[0]
    [2 / 3, 0, 0, 1 / 3, 0, 0, 0, 0, 0]
    ? What did the search find out about the moves that were not played?

    X won: each value is for the player to move (2 points){GAME}
    >>> examples.value
    [1, -1, 1, -1, 1]
    ? Whose turn was it at this position, and did that player win?

    exploratory_plies=2: two moves are sampled, so they vary from game to game, and the others are greedy (2 points)
    >>> {ROW}
    >>> network, rng = ConstantNetwork(0.0, [2, 1, 3, 0, -1]), np.random.default_rng(SEED)
    >>> more = dict(simulations=12, exploratory_plies=2, noise_fraction=0.0)
    >>> vary([self_play_game(game, network, rng, **more) for _ in range(80)])
    [True, True, False, False]
    ? {PLIES}

    a sampled move follows the visits as they are: here four to one
    >>> network, rng = ConstantNetwork(0.0, [1.4, 0.0]), np.random.default_rng(SEED)
    >>> game, more = ConnectN(rows=1, columns=2, n=2), dict(simulations=5, exploratory_plies=1, noise_fraction=0.0)
    >>> games = [self_play_game(game, network, rng, **more) for _ in range(500)]
    >>> np.mean([examples.planes[1, 1, 0] for examples in games], axis=0)
    near([0.8, 0.2], 500)
    ? Which temperature leaves the shares of the visits as they are?

    noise_alpha=0.03: at every move nearly all the noise is on one action, and so are the visits
    >>> {ROW}
    >>> network, rng = ConstantNetwork(0.0, [0, 0, 0, 0, 0]), np.random.default_rng(SEED)
    >>> more = dict(simulations=8, exploratory_plies=0, noise_alpha=0.03, noise_fraction=1.0)
    >>> largest_shares([self_play_game(game, network, rng, **more) for _ in range(20)]) > 0.75
    [True, True, True, True]
    ? {NOISY}

    noise_alpha=1000: at every move the noise is even, and so are the visits
    >>> {ROW}
    >>> network, rng = ConstantNetwork(0.0, [8, 6, 4, 2, 0]), np.random.default_rng(SEED)
    >>> more = dict(simulations=8, exploratory_plies=0, noise_alpha=1000.0, noise_fraction=1.0)
    >>> largest_shares([self_play_game(game, network, rng, **more) for _ in range(3)]) < 0.6
    [True, True, True, True]
    ? {NOISY}

    the noise comes from the generator that it is given
    >>> {ROW}
    >>> network, more = ConstantNetwork(0.0, [0] * 5), dict(simulations=9, exploratory_plies=0, noise_fraction=1.0)
    >>> follows_the_seed(lambda seed: self_play_game(game, network, np.random.default_rng(seed), **more).policy)
    "same seed, same result"
    ? Which generator does mcts_search pass to the noise?

    the choice of a move comes from the generator that it is given
    >>> {ROW}
    >>> network, more = ConstantNetwork(0.0, [0] * 5), dict(simulations=5, exploratory_plies=5, noise_fraction=0.0)
    >>> follows_the_seed(lambda seed: self_play_game(game, network, np.random.default_rng(seed), **more).planes)
    "same seed, same result"
    ? Which generator does your sampling use?
"""

_SEARCH = "visits = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng)"
_POSITION = "        positions.append(game.encode(state))\n"
_POLICY = "policies.append(visits / visits.sum())"
_PLAYER = "        players.append(game.to_play(state))\n"
_TEMPERATURE = "temperature = 1.0 if len(players) <= exploratory_plies else 0.0"
_PLAY = "state = game.play(state, sample_action(visits, temperature, rng))"
_RESULT = "values = value_targets(players, game.winner(state))"


WRONG = [
    Wrong("values from the winner's side", "every position of a won game is worth +1, even the loser's positions",
          "Which value should a position of the losing player have?",
          (_RESULT, "values = np.full(len(players), abs(game.winner(state)), dtype=np.float32)")),
    Wrong("values from X's side", "every value is for X, even at O's positions",
          "The network sees each position as the player to move sees it. Whose value must it learn at O's positions?",
          (_RESULT, "values = np.full(len(players), game.winner(state), dtype=np.float32)")),
    Wrong("values of the next player", "the player is stored after the move, so each value is the opponent's",
          "Has the move already been made when you ask whose turn it is?",
          (_PLAYER, ""), ("<=", "<"), (_PLAY, f"{_PLAY}\n{_PLAYER.rstrip()}")),
    Wrong("draws lost", "a draw counts as a loss for both",
          "What does game.winner return for a draw?",
          (_RESULT, "values = [1.0 if player == game.winner(state) else -1.0 for player in players]")),
    Wrong("target is the move played", "the policy to learn is only the move that was played",
          "What did the search find out about the other moves?",
          (_POLICY, "pass"),
          (_PLAY, "action = sample_action(visits, temperature, rng)\n"
                  "        policies.append(np.eye(game.num_actions)[action])"
                  "\n        state = game.play(state, action)")),
    Wrong("target tempered",
          "the policy to learn uses the temperature of the choice: "
          "where the choice is greedy, one move gets everything",
          "Should the policy to learn depend on the ply at which exploring stops?",
          (_POLICY, "pass"),
          (_PLAY, "policies.append(visits / visits.sum() if temperature else 1.0 * (visits == visits.max()) / "
                  f"(visits == visits.max()).sum())\n        {_PLAY}")),
    Wrong("target is the favorite",
          "the policy to learn uses the temperature of the choice: where the choice is greedy, "
          "the move with the most visits gets everything",
          "Should the policy to learn depend on the ply at which exploring stops?",
          (_POLICY, "pass"),
          (_PLAY, "policies.append(visits / visits.sum() if temperature else "
                  "np.eye(game.num_actions)[visits.argmax()])\n"
                  f"        {_PLAY}")),
    Wrong("target is the network's prior",
          "the policy to learn is the network's own prior, so the search teaches it nothing",
          "Which of the two knows more, the network or the search?",
          (_POLICY, "legal = np.isin(np.arange(game.num_actions), game.legal_actions(state))\n        "
                    "weights = np.exp(network(game.encode(state)[None])[1][0]) * legal\n        "
                    "policies.append(weights / weights.sum())")),
    Wrong("visits not divided", "the policy to learn is the visit counts themselves, which don't sum to 1",
          "What must a policy sum to?", (_POLICY, "policies.append(visits)")),
    Wrong("position after the move", "each policy is stored with the position after the move",
          "Which position was searched?",
          (_POSITION, ""), (_PLAY, f"{_PLAY}\n{_POSITION.rstrip()}")),
    Wrong("finished position recorded", "the finished position becomes an example, too",
          "Is there a move to choose once the game is over?",
          (_RESULT, "positions.append(game.encode(state))\n    policies.append(np.zeros(game.num_actions))\n    "
                    f"players.append(game.to_play(state))\n    {_RESULT}")),
    Wrong("last move forgotten", "the position of the last move is missing",
          "Which position led to the move that decided the game?",
          (_RESULT, f"positions, policies, players = positions[:-1], policies[:-1], players[:-1]\n    {_RESULT}")),
    Wrong("one ply too few", "one move fewer than `exploratory_plies` is sampled",
          "Has the current move already been counted when the comparison is made?", ("<=", "<")),
    Wrong("one ply too many", "one move more than `exploratory_plies` is sampled",
          "Has the current move already been counted when the comparison is made?",
          ("len(players) <=", "len(players) - 1 <=")),
    Wrong("greedy from the start", "every move is greedy: without noise, every game would be the same",
          "How should the first `exploratory_plies` moves be chosen?", (_TEMPERATURE, "temperature = 0.0")),
    Wrong("never greedy", "every move is sampled, up to the end of the game",
          "What changes after `exploratory_plies` moves?", (_TEMPERATURE, "temperature = 1.0")),
    Wrong("temperatures swapped", "the first moves are greedy and the later ones are sampled",
          "Where do you want variety: in openings, or in endings?",
          (_TEMPERATURE, "temperature = 0.0 if len(players) <= exploratory_plies else 1.0")),
    Wrong("no noise", "the search gets no noise",
          "Which arguments of mcts_search add noise to the root's prior?",
          (_SEARCH, _SEARCH.replace(", noise=noise, rng=rng", ""))),
    Wrong("noise without a generator",
          "the search gets the noise, but not the generator where its chance comes from: `rng` is None there",
          "Which two arguments of mcts_search belong together?", (_SEARCH, _SEARCH.replace(", rng=rng", ""))),
    Wrong("another number of simulations",
          "every search uses a fixed number of simulations, so the argument `simulations` changes nothing",
          "Which call needs the caller's `simulations`?", ("network, simulations, c_puct", "network, 50, c_puct")),
    Wrong("states instead of planes", "the states are stored as they are, but a network can't read them",
          "Which function of the game turns a state into what a network sees?", ("game.encode(state)", "state")),
    Wrong("whose turn it is for who won", "the player who would be to move at the end is taken for the winner",
          "Who made the last move: the player to move now, or the other one?",
          (_RESULT, _RESULT.replace("game.winner(state)", "game.to_play(state)"))),
    Wrong("noise at the first move only", "only the first search of the game gets noise",
          "How many roots are there in a game?", ("noise=noise", "noise=noise if not players else None")),
    Wrong("noise of the default strength", "the settings noise_alpha and noise_fraction never reach the noise",
          "The given `noise` calls `add_root_noise`. What does it add to that call?",
          ("noise=noise", "noise=add_root_noise")),
    Wrong("random moves", "moves are drawn at random from the legal ones, whatever the search found",
          "Which function turns visits into a move?",
          (_PLAY, "state = game.play(state, rng.choice(game.legal_actions(state)))")),
    Wrong("a generator of its own", "moves and noise are drawn from a fresh generator each time",
          "Why is the generator an argument?",
          ("    state = game.initial_state()\n",
           "    state = game.initial_state()\n    rng = np.random.default_rng()\n"))
]  # fmt: skip


def right_game_with_a_history(
    game, network, rng, *, simulations=50, c_puct=1.5, exploratory_plies=3, noise_alpha=0.5, noise_fraction=0.25
):
    history, state = [], game.initial_state()
    while game.legal_actions(state):
        noisy = None
        if noise_fraction > 0:
            noisy = lambda p, m, r: add_root_noise(p, m, r, alpha=noise_alpha, fraction=noise_fraction)  # noqa: E731
        visits = mcts_search(game, state, network, simulations, c_puct, noise=noisy, rng=rng)
        history.append((state, visits))
        if len(history) > exploratory_plies:
            action = sample_action(visits, 0, rng)
        else:
            action = int(rng.choice(game.num_actions, p=visits / visits.sum()))
        state = game.play(state, action)
    z = value_targets([game.to_play(before) for before, _ in history], game.winner(state))
    planes = np.stack([game.encode(before) for before, _ in history])
    policy = np.array([[count / sum(visits) for count in visits] for _, visits in history], dtype=np.float32)
    return Examples(planes, policy, z, z, np.arange(len(history)))


def right_game_by_recursion(
    game, network, rng, *, simulations=50, c_puct=1.5, exploratory_plies=3, noise_alpha=0.5, noise_fraction=0.25
):
    def noise(prior, legal, generator):
        return add_root_noise(prior, legal, generator, alpha=noise_alpha, fraction=noise_fraction)

    def play_on(state, ply):
        """Play the rest of the game; return (winner, (planes, policy, value) of each position)."""
        if game.is_terminal(state):
            return game.winner(state), []
        visits, root = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng, return_root=True)
        action = int(np.argmax(visits)) if ply >= exploratory_plies else sample_action(visits, 1, rng)
        winner, later = play_on(root.children[action].state, ply + 1)
        example = (game.encode(state), visits / simulations, float(winner * game.to_play(state)))
        return winner, [example, *later]

    return Examples.of_game(*zip(*play_on(game.initial_state(), 0)[1], strict=True))


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(["TicTacToe()", "Misere()", "ConnectN(3, 4, 3)"]),
        st.integers(0, 99),
        st.integers(1, 7),
        st.sampled_from([0.5, 1.5, 3.0]),
    ),
    edges=[("TicTacToe()", 4, 3, 1.5), ("TicTacToe()", 9, 3, 1.5), ("Misere()", 1, 4, 1.5)],
    asks="agrees with the definition in many games without noise in which every move is greedy",
    examples=10,
    returns=is_examples,
    changes={"network"},  # it records its inputs
    question="Follow a single move. Which position is searched, what is stored, and which move is played?",
)
