"""self_play_game: one game against oneself, and what each position teaches."""

import inspect
import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.exercise import watching
from course_utils.games import ConnectN, Game, TicTacToe, after
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import add_root_noise, sample_action, value_targets
from course_utils.networks import UniformNetwork
from course_utils.search.puct import mcts_search
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_07.chance import SIGMAS, from_the_generator_alone, seed_of, tempered
from course_utils.tests.specification import Specification
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.puct import puct_visits


class OBegins(TicTacToe):
    """Whoever makes a line loses, and O moves first."""

    name = "o_begins"

    def initial_state(self):
        return super().initial_state()._replace(to_play=-1)

    def winner(self, state) -> int:
        return -super().winner(state)


class Place(NamedTuple):
    """Where the stone is, and how many moves were made."""

    column: int = 0
    ply: int = 0


class ToAndFro(Game[Place]):
    """One stone, always that of the opponent, goes to another of three places, seven times: so planes come again in a game.

    A draw if it ends at the left; in the middle X wins, at the right O.
    """

    name, rows, columns, num_actions, planes = "to_and_fro", 1, 3, 3, 2

    def initial_state(self):
        return Place()

    def legal_actions(self, state):
        return [] if self.is_terminal(state) else [column for column in range(3) if column != state.column]

    def play(self, state, action):
        if action not in (legal := self.legal_actions(state)):
            raise ValueError(f"action {action} is not legal here; legal: {legal}")
        return Place(int(action), state.ply + 1)

    def to_play(self, state):
        return -1 if state.ply % 2 else 1

    def is_terminal(self, state):
        return state.ply == 7

    def winner(self, state):
        return (0, 1, -1)[state.column] if self.is_terminal(state) else 0

    def encode(self, state):
        cells = self.cells(state) * self.to_play(state)
        return np.stack([cells == 1, cells == -1]).astype(np.float32)

    def cells(self, state):
        return np.eye(3, dtype=np.int8)[[state.column]] * -self.to_play(state)

    def action_at(self, row, column):
        return column


BOARDS = {
    "tictactoe": TicTacToe(),
    "O begins, and a line loses": OBegins(),
    "3x4": ConnectN(3, 4, 3),
    "1x5": ConnectN(1, 5, 5),
    "4x4": ConnectN(4, 4, 4),
    "a stone to and fro": ToAndFro(),
}
DRAWS = st.tuples(
    st.sampled_from(list(BOARDS)), st.integers(0, 99), st.integers(1, 7), st.sampled_from([0.5, 1.5, 3.0])
)


class Sure(HashNetwork):
    """It is sure of having won, or of having lost."""

    def __call__(self, planes):
        value, logits = super().__call__(planes)
        return np.full_like(value, 0.99 if self.seed % 2 else -0.99), logits


def players(draw) -> tuple:
    """(game, network)."""
    game = BOARDS[draw[0]]
    return game, (Sure if draw[1] % 5 == 4 else HashNetwork)(game.num_actions, draw[1])


def oracle(draw) -> list:
    """A game without noise in which every move is greedy: nothing is left to chance."""
    rows, winner = _greedy_game(*players(draw), *draw[2:])
    planes, policies, movers = zip(*rows, strict=True)
    return [np.stack(planes), np.array(policies), np.array(movers) * winner]


def is_examples(result) -> str:
    return (
        ""
        if isinstance(result, Examples)
        else f"expected Examples, as the given last line makes them, got {type(result).__name__}"
    )


GAME = TicTacToe()
LINE = ConnectN(rows=1, columns=5, n=5)  # five columns of one cell: nobody ever wins, so only chance and search decide
QUIET = dict(noise_alpha=0.5, noise_fraction=0.0)  # the prior as it is: visits can be worked out in advance
MOVES = ["first", "second", "third", "fourth"]


class _Prior:
    """A network with one opinion for all positions."""

    def __init__(self, logits):
        self.logits = np.array(logits, dtype=np.float64)

    def __call__(self, planes):
        return np.zeros(len(planes)), np.tile(self.logits, (len(planes), 1))


def _greedy_game(game, network, simulations: int, c_puct: float):
    """The one game that a greedy player without noise plays: [(planes, policy, player)], and who won it."""
    state, rows = game.initial_state(), []
    while not game.is_terminal(state):
        visits = puct_visits(game, state, network, simulations, c_puct)
        rows.append((game.encode(state), [count / simulations for count in visits], game.to_play(state)))
        state = game.play(state, visits.index(max(visits)))
    return rows, game.winner(state)


@cache
def _game_won_by(winner: int, first_seed: int, game, simulations: int, c_puct: float):
    """(network, rows) of a greedy game with this result."""
    for seed in itertools.count(first_seed):
        network = HashNetwork(game.num_actions, seed)
        rows, result = _greedy_game(game, network, simulations, c_puct)
        if result == winner:
            return network, rows


def _moves_of(game, examples) -> list[int]:
    """The actions played, all but the last, read from how one position differs from the next."""
    state, actions = game.initial_state(), []
    for example in examples[1:]:
        after = {action: game.play(state, action) for action in game.legal_actions(state)}
        action = next(a for a, child in after.items() if np.array_equal(game.encode(child), example.planes))
        actions.append(action)
        state = after[action]
    return actions


def _how_chosen(policies: np.ndarray, chosen: np.ndarray) -> str:
    """Judges one ply of many games: policies [games, num_actions], the visits' shares; chosen [games]."""
    share = policies[np.arange(len(chosen)), chosen]
    if (chosen == policies.argmax(axis=1)).all():
        return "greedy"
    squares = (policies**2).sum(axis=1)  # what the share of a sampled action is on average
    spread = np.sqrt(((policies**3).sum(axis=1) - squares**2).sum())
    off = (share - squares).sum()
    if abs(off) <= SIGMAS * spread:
        return "sampled"
    return "between greedy and sampled" if off > 0 else "more even than the visits"


OPINION = _Prior([1.6, 0.8, 2.4, 0.0, -0.8])
PAIR, FIRST = ConnectN(rows=1, columns=2, n=2), _Prior([2.1, 0.0])  # a game of two moves; FIRST gets 9 visits of 10


@cache
def _line_policy(game, network, simulations: int, actions: tuple[int, ...]) -> np.ndarray:
    """The visits' shares after `actions`, without noise."""
    return np.array(puct_visits(game, after(game, actions), network, simulations, 1.0)) / simulations


def _choices(seed: int, exploratory_plies: int, games: int, game=LINE, network=OPINION, simulations=12):
    """A run: how each of the first moves of many games was chosen. The last move has no choice."""

    def run(self_play_game):
        rng = np.random.default_rng(seed)
        settings = dict(simulations=simulations, c_puct=1.0, exploratory_plies=exploratory_plies, **QUIET)
        lines = [_moves_of(game, self_play_game(game, network, rng, **settings)) for _ in range(games)]
        verdicts = {}
        for ply, name in enumerate(MOVES[: game.num_actions - 1]):
            policies = [_line_policy(game, network, simulations, tuple(line[:ply])) for line in lines]
            verdicts[name] = _how_chosen(np.stack(policies), np.array(lines)[:, ply])
        return verdicts

    return run


def _noise_at_each_ply(seed: int):
    """A run: whether noise alone decided where the search went, at each of the first four moves on LINE."""

    def run(self_play_game):
        rng = np.random.default_rng(seed)
        shares = {}
        for alpha in (0.03, 1000.0):
            settings = dict(simulations=8, c_puct=1.0, exploratory_plies=0, noise_alpha=alpha, noise_fraction=1.0)
            games = [self_play_game(LINE, _Prior([1, 2, 3, 2, 1]), rng, **settings) for _ in range(20)]
            # [games, plies, actions]; the fifth move has no choice
            policies = np.stack([examples.policy[:4] for examples in games])
            free = np.array([5, 4, 3, 2])
            shares[alpha] = (policies.max(axis=2).mean(axis=0), free)
        peaked, free = shares[0.03]
        even, _ = shares[1000.0]
        return {
            name: "noise"
            if peaked[ply] > 0.75 and even[ply] < 1 / free[ply] + 0.17
            else "no noise to be seen in examples.policy"
            for ply, name in enumerate(MOVES)
        }

    return run


def _self_play(game, network, **settings):
    """A run: the examples of one game."""
    return lambda answer: answer(game, network, np.random.default_rng(0), **settings)


class _Asked:
    """What a game asks of the search and of the die, move by move."""

    def __init__(self, rng):
        self.rng, self.searches, self.dice = rng, [], []

    def search(self, mcts_search):
        given = inspect.signature(mcts_search)

        def searched(*args, **kwargs):
            asked = given.bind(*args, **kwargs).arguments
            noise = asked.get("noise")
            prior, legal = np.array([0.5, 0.25, 0.25, 0.0]), np.array([True, True, True, False])
            mixed = None if noise is None else np.round(noise(prior, legal, np.random.default_rng(0)), 2).tolist()
            own = "the caller's generator" if asked.get("rng") is self.rng else "another generator"
            self.searches.append([asked["simulations"], asked["c_puct"], mixed, own])
            return mcts_search(*args, **kwargs)

        return searched

    def die(self, sample_action):
        def thrown(visits, temperature, rng):
            greedy = np.eye(len(visits))[int(np.argmax(visits))]
            self.dice.append(greedy if temperature < 1e-8 else np.array(tempered(visits, temperature)))
            return sample_action(visits, temperature, rng)

        return thrown


LONG_LINE = ConnectN(rows=1, columns=24, n=24)


def _asked_for(seed: int, plies: int):
    """A run: what is asked of `mcts_search` at each move of a long game, and which moves throw a die with the shares of the visits."""

    def run(self_play_game):
        asked = _Asked(np.random.default_rng(seed))
        settings = dict(simulations=5, c_puct=7.5, exploratory_plies=plies, noise_alpha=1e6, noise_fraction=0.08)
        with watching({"mcts_search": asked.search, "sample_action": asked.die}):
            examples = self_play_game(LONG_LINE, HashNetwork(24, seed), asked.rng, **settings)
        wrong = []
        if len(examples) != 24 or len(asked.searches) not in (0, 24):
            wrong.append(f"{len(examples)} examples of {len(asked.searches)} searches")
        for ply, search in enumerate(asked.searches if len(asked.searches) == 24 else ()):
            if search != _SEARCH_ASKED:
                wrong.append(
                    f"move {ply + 1} asks for simulations, c_puct, a noise that makes of the prior, from: {search}"
                )
        for ply, shares in enumerate(asked.dice if len(asked.dice) == 24 == len(examples) else ()):
            policy = examples.policy[ply]
            greedy = np.eye(24)[int(policy.argmax())]
            if not np.allclose(shares, policy if ply < plies else greedy, atol=1e-5):
                wrong.append(f"move {ply + 1} is thrown with {show(shares[shares > 0])}")
        return wrong[:1]

    return run


_SEARCH_ASKED = [5, 7.5, [0.49, 0.26, 0.26, 0.0], "the caller's generator"]


def by_hand(rng):
    settings = dict(simulations=14, c_puct=1.25, exploratory_plies=0, **QUIET)
    call = (
        "examples = self_play_game(game, network, rng, simulations=14, c_puct=1.25, exploratory_plies=0, "
        "noise_fraction=0.0)\n"
    )
    won_by_x, rows = _game_won_by(1, seed_of(rng), GAME, 14, 1.25)
    play = _self_play(GAME, won_by_x, **settings)
    yield Case(
        "one example for each position in which somebody had to move",
        lambda answer: len(play(answer)),
        len(rows),
        call + "len(examples)",
        "Is there anything to learn about the choice of a move when the game is over? And before the first move?",
    )
    yield Case(
        "the positions, each as its mover saw it *before* moving",
        lambda answer: play(answer).planes,
        [planes for planes, _, _ in rows],
        call + "examples.planes",
        "Which position was searched: the one before the move, or the one after it?",
        points=2,
    )
    yield Case(
        "the policy to learn is the visits divided by their sum, even where the move was greedy",
        lambda answer: play(answer).policy,
        [policy for _, policy, _ in rows],
        call + "examples.policy",
        "What did the search find out about the moves that it did *not* play?",
        points=2,
    )
    view = "Whose turn was it at this position, and did that player win?"
    yield Case(
        "X won: each value as the player to move saw it",
        lambda answer: play(answer).value,
        [float(player) for _, _, player in rows],
        call + "examples.value",
        view,
        points=2,
    )
    line = "game = ConnectN(rows=1, columns=5, n=5)   # five moves\n"
    plies_question = "Which of the settings hold for the whole game, and which for its beginning?"
    plies = "Count on your fingers: how many moves have been sampled when the first greedy one is due?"
    yield Case(
        "exploratory_plies=2: two moves are sampled from the visits, the others greedy",
        _choices(seed_of(rng), 2, games=24),
        dict(zip(MOVES, ["sampled", "sampled", "greedy", "greedy"], strict=True)),
        line + "24 games of self_play_game(game, network, rng, exploratory_plies=2, noise_fraction=0.0)",
        plies,
        points=2,
    )
    yield Case(
        "a sampled move follows the visits just as they are",
        _choices(seed_of(rng), 1, 130, PAIR, FIRST, 10),
        {"first": "sampled"},
        "game = ConnectN(rows=1, columns=2, n=2)   # two moves\n"
        "130 games of self_play_game(game, network, rng, exploratory_plies=1, noise_fraction=0.0)",
        "Which temperature leaves the shares of the visits as they are?",
    )
    yield Case(
        "each search starts with root noise, as strong as asked for",
        _noise_at_each_ply(seed_of(rng)),
        dict.fromkeys(MOVES, "noise"),
        line
        + "games of self_play_game(game, network, rng, exploratory_plies=0, noise_fraction=1.0, noise_alpha=0.03), "
        "then noise_alpha=1000.0:\nfirst nearly all visits should go to one move, then they should be even",
        "Which arguments of mcts_search let it perturb the root's prior? At which moves of the game is there a root?",
        points=2,
    )

    yield Case(
        "a game of 24 moves, exploratory_plies=15: what is asked of the search and of the die at each",
        _asked_for(seed_of(rng), 15),
        Such("nothing else than at the first", lambda wrong: wrong == [] or wrong[0]),
        "game = ConnectN(rows=1, columns=24, n=24)\n"
        "self_play_game(game, network, rng, simulations=5, c_puct=7.5, exploratory_plies=15, noise_alpha=1e6, noise_fraction=0.08)",
        plies_question,
    )

    def beginnings(answer):
        """The policies of the first position, searched with nothing but noise, under several seeds."""
        settings = dict(simulations=9, exploratory_plies=0, noise_alpha=1.0, noise_fraction=1.0)
        games = [answer(LINE, UniformNetwork(5), np.random.default_rng(seed), **settings) for seed in range(6)]
        return len({game[0].policy.tobytes() for game in games})

    yield Case(
        "the noise, too, comes from the generator that it is given",
        beginnings,
        Such("several different ones", lambda different: different > 2),
        line + "how many different first policies there are, with noise_fraction=1.0, under six seeds",
        "Which generator does mcts_search hand to the noise?",
    )

    def two_games(answer, rng):
        examples = answer(LINE, UniformNetwork(5), rng, simulations=3, exploratory_plies=5)
        return [*_moves_of(LINE, examples), *examples.policy.ravel()]

    yield Case(
        "uses the generator it is given, and no other",
        from_the_generator_alone(two_games),
        "same seed, same result",
        "[self_play_game(game, network, np.random.default_rng(seed)) for seed in range(12)], twice",
        "Where does your chance come from: the search's, and the choice's?",
    )


_SEARCH = "visits = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng)"
_POSITION = "        positions.append(game.encode(state))\n"
_POLICY = "policies.append(visits / visits.sum())"
_PLAYER = "        players.append(game.to_play(state))\n"
_TEMPERATURE = "temperature = 1.0 if len(players) <= exploratory_plies else 0.0"
_PLAY = "state = game.play(state, sample_action(visits, temperature, rng))"
_RESULT = "values = value_targets(players, game.winner(state))"


WRONG = [
    Wrong("values from the winner's side", "every position of a won game is worth +1, whoever was to move",
          "What should the loser's positions teach?",
          (_RESULT, "values = np.full(len(players), abs(game.winner(state)), dtype=np.float32)")),
    Wrong("values from X's side", "every value is X's, whoever was to move",
          "The network looks with the eyes of the player to move: whose value must it learn at O's positions?",
          (_RESULT, "values = np.full(len(players), game.winner(state), dtype=np.float32)")),
    Wrong("values of the next player", "the player is noted after the move: each value is the opponent's",
          "When you ask whose turn it is, has the move been made?",
          (_PLAYER, ""), ("<=", "<"), (_PLAY, f"{_PLAY}\n{_PLAYER.rstrip()}")),
    Wrong("draws lost", "a draw counts as a loss for both",
          "What does game.winner return for a draw?",
          (_RESULT, "values = [1.0 if player == game.winner(state) else -1.0 for player in players]")),
    Wrong("target is the move played", "the policy to learn is the move that was played, and nothing else",
          "What did the search find out about the other moves?",
          (_POLICY, "pass"),
          (_PLAY, "action = sample_action(visits, temperature, rng)\n        policies.append(np.eye(game.num_actions)[action])"
                  "\n        state = game.play(state, action)")),
    Wrong("target tempered", "the policy to learn is tempered like the choice: where that is greedy, all on one move",
          "Should what the network learns depend on the ply at which we stop exploring?",
          (_POLICY, "pass"),
          (_PLAY, "policies.append(visits / visits.sum() if temperature else 1.0 * (visits == visits.max()) / "
                  f"(visits == visits.max()).sum())\n        {_PLAY}")),
    Wrong("target is the favorite", "the policy to learn is tempered like the choice: where that is greedy, all on the move with the most visits",
          "Should what the network learns depend on the ply at which we stop exploring?",
          (_POLICY, "pass"),
          (_PLAY, "policies.append(visits / visits.sum() if temperature else np.eye(game.num_actions)[visits.argmax()])\n"
                  f"        {_PLAY}")),
    Wrong("target is the network's prior",
          "the policy to learn is what the network already thinks: the search teaches it nothing",
          "Which of the two knows more, the network or the search?",
          (_POLICY, "legal = np.isin(np.arange(game.num_actions), game.legal_actions(state))\n        "
                    "weights = np.exp(network(game.encode(state)[None])[1][0]) * legal\n        "
                    "policies.append(weights / weights.sum())")),
    Wrong("visits not divided", "the policy to learn is the bare visit counts, which do not sum to 1",
          "What must a policy sum to?", (_POLICY, "policies.append(visits)")),
    Wrong("position after the move", "each policy is stored with the position *after* the move",
          "Which position was searched?",
          (_POSITION, ""), (_PLAY, f"{_PLAY}\n{_POSITION.rstrip()}")),
    Wrong("finished position recorded", "the finished position becomes an example, too",
          "Is there a move to learn once the game is over?",
          (_RESULT, "positions.append(game.encode(state))\n    policies.append(np.zeros(game.num_actions))\n    "
                    f"players.append(game.to_play(state))\n    {_RESULT}")),
    Wrong("last move forgotten", "the position of the last move is missing",
          "Which move decided the game, and where does the network learn it?",
          (_RESULT, f"positions, policies, players = positions[:-1], policies[:-1], players[:-1]\n    {_RESULT}")),
    Wrong("one ply too few", "one move less than `exploratory_plies` is sampled",
          "When the comparison is made, is the present move counted already?", ("<=", "<")),
    Wrong("one ply too many", "one move more than `exploratory_plies` is sampled",
          "When the comparison is made, is the present move counted already?",
          ("len(players) <=", "len(players) - 1 <=")),
    Wrong("greedy from the start", "every move is greedy: without noise, the same game over and over",
          "What happens in the first `exploratory_plies` moves?", (_TEMPERATURE, "temperature = 0.0")),
    Wrong("never greedy", "every move is sampled, to the end",
          "What changes after `exploratory_plies` moves?", (_TEMPERATURE, "temperature = 1.0")),
    Wrong("temperatures swapped", "the first moves are greedy and the later ones sampled",
          "Where do you want variety: in openings, or in endings?",
          (_TEMPERATURE, "temperature = 0.0 if len(players) <= exploratory_plies else 1.0")),
    Wrong("no noise", "the search is never told about the noise",
          "Which arguments of mcts_search perturb the root?", (_SEARCH, _SEARCH.replace(", noise=noise, rng=rng", ""))),
    Wrong("noise at the first move only", "only the first search of the game gets noise",
          "How many roots are there in a game?", ("noise=noise", "noise=noise if not players else None")),
    Wrong("noise of the default strength", "noise_alpha and noise_fraction never reach the noise",
          "What does `noise`, which is given, have that `add_root_noise` alone has not?",
          ("noise=noise", "noise=add_root_noise")),
    Wrong("random moves", "moves are drawn from the legal ones, whatever the search found",
          "Which function turns visits into a move?", (_PLAY, "state = game.play(state, rng.choice(game.legal_actions(state)))")),
    Wrong("a generator of its own", "moves and noise are drawn from a fresh generator each time",
          "Why is the generator an argument?", ("    state = game.initial_state()\n", "    state = game.initial_state()\n    rng = np.random.default_rng()\n"))
]  # fmt: skip


def game_by_recursion(
    game, network, rng, *, simulations=50, c_puct=1.5, exploratory_plies=3, noise_alpha=0.5, noise_fraction=0.25
):
    def noise(prior, legal, generator):
        return add_root_noise(prior, legal, generator, alpha=noise_alpha, fraction=noise_fraction)

    def play_on(state, ply):
        """(winner, (planes, policy, value) of each position) of the rest of the game."""
        if game.is_terminal(state):
            return game.winner(state), []
        visits, root = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng, return_root=True)
        action = int(np.argmax(visits)) if ply >= exploratory_plies else sample_action(visits, 1, rng)
        winner, later = play_on(root.children[action].state, ply + 1)
        example = (game.encode(state), visits / simulations, float(winner * game.to_play(state)))
        return winner, [example, *later]

    return Examples.of_game(*zip(*play_on(game.initial_state(), 0)[1], strict=True))


def game_with_a_history(
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


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {
        **dict(zip(("game", "network"), players(draw), strict=True)),
        "rng": np.random.default_rng(draw[1]),
        "simulations": draw[2],
        "c_puct": draw[3],
        "exploratory_plies": 0,
        "noise_fraction": 0.0,
    },
    oracle=oracle,
    judged=lambda result, arguments: [result.planes, result.policy, result.outcome],
    returns=is_examples,
    shown=lambda draw: (
        f"game: {draw[0]}, network: {type(players(draw)[1]).__name__}({draw[1]})\nself_play_game(game, network, rng, simulations={draw[2]}, "
        f"c_puct={draw[3]}, exploratory_plies=0, noise_fraction=0.0)\nits planes, its policies, its values"
    ),
    changes={"network"},  # it writes down what it is asked
    examples=10,
    edges=[
        ("O begins, and a line loses", 1, 4, 1.5),
        ("tictactoe", 4, 3, 1.5),
        ("tictactoe", 9, 3, 1.5),
        ("a stone to and fro", 0, 4, 1.5),
        ("a stone to and fro", 1, 4, 1.5),
    ],
    question="Follow one move: what is searched, what is written down, what is played?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[game_by_recursion, game_with_a_history],
)
