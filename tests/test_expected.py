"""What the texts promise of experiments that no cell runs: the sentence stands in its source, and the figures come out."""

import inspect
import math
import re
from functools import cache, partial

import numpy as np
import pytest

from course_utils import agents
from course_utils.agents import RandomAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import ConnectN, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.games.tictactoe import State
from course_utils.learning import scaling
from course_utils.learning.config import TrainingConfig
from course_utils.learning.exam import exam
from course_utils.learning.pairs import at_the_end, difference, mean_interval
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.learning.tournament import play_series, wilson_interval
from course_utils.networks import UniformNetwork
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.paths import SOURCES
from course_utils.results import load_result
from course_utils.search import gumbel
from course_utils.search.bandits import Bandit, epsilon_greedy_many, play_many, ten_armed, ucb_many
from course_utils.search.minimax import alpha_beta
from course_utils.search.proven import search_until_proven
from course_utils.search.puct import mcts_search
from course_utils.search.uct import UctNode, count_nodes, uct_score, uct_search
from tests.guesses import notebook_01

pytestmark = pytest.mark.slow


def _rewards(choose):
    """[runs]: mean reward per step, on the testbed of "Bandits"."""
    testbed = ten_armed(np.random.default_rng(0), runs=1000)
    return play_many(testbed, choose, 1000, np.random.default_rng(3)).rewards.mean(axis=1)


def bandits_others_only():
    everybody, others = (
        _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2), others_only=flag)) for flag in (False, True)
    )
    lead = everybody - others
    return [f"All arms, by {lead.mean():.3f} ± {1.96 * lead.std() / len(lead) ** 0.5:.3f} per step"]


def bandits_shrinking_epsilon():
    rng = np.random.default_rng(2)
    fixed = _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2)))
    shrinking = _rewards(lambda Q, N, t: epsilon_greedy_many(min(1, 10 / t), rng)(Q, N, t))
    return [
        f"earns {(shrinking - fixed).mean():.2f} per step more than a fixed 0.1, and {(_rewards(ucb_many(2)) - shrinking).mean():.2f} less than UCB"
    ]


def bandits_nearly_equal():
    machines = Bandit(np.tile([0.1] + [0.0] * 9, (200, 1)), np.ones((200, 10)))
    best = play_many(machines, ucb_many(2), 5000, np.random.default_rng(1)).arms == 0
    around_2000, at_the_end = best[:, 1900:2000].mean(), best[:, 4900:].mean()
    return [
        f"{around_2000:.0%}".replace("%", " %") + " of the steps around step 2,000",
        f"in {at_the_end:.0%}".replace("%", " %"),
    ]


# --- The game: by the rules on strings that the guesses use -----------------------------------------------------------


def game_first_moves():
    first = notebook_01.children("." * 9)
    corner, edge, center = (f"{float(notebook_01.wins(first[cell])[1]):.0%}".replace("%", " %") for cell in (0, 1, 4))
    return [
        f"X wins {corner}, {edge} and {center} of the games",
        f"255,168 games have only {len(_positions()):,} positions",
    ]


def game_played_on():
    return [f"{math.factorial(9):,} = 9 · 8 · ... · 1"]


def game_without_the_anti_diagonal(monkeypatch):
    for cached in (notebook_01.games, notebook_01.wins):
        cached.cache_clear()
    monkeypatch.setattr(notebook_01, "LINES", [line for line in notebook_01.LINES if line != (2, 4, 6)])
    number = notebook_01.games("." * 9)
    for cached in (notebook_01.games, notebook_01.wins):
        cached.cache_clear()
    return [f"{number:,} games, more than before"]


def perfect_play_with_an_endless_window():
    game = TicTacToe()
    narrow, (value, endless) = alpha_beta(game, State()), alpha_beta(game, State(), -math.inf, math.inf)
    assert narrow[0] == value == 0
    return [f"the count rises from {narrow[1]:,} to {endless:,}"]


# --- Tree search with rollouts ------------------------------------------------------------------------------------


def tree_search_fixed():
    game, rng = TicTacToe(), np.random.default_rng(0)
    assert play_series(game, UctAgent(game, 100, rng), RandomAgent(game, rng), range(50)).wins >= 45
    return ["with 100 simulations it should win nearly all of its games"]


def tree_search_counts():
    game = TicTacToe()
    root, rng = UctNode(game, State()), np.random.default_rng(0)
    uct_search(game, root, 100_000, rng)
    assert 3.5 < 100_000 / count_nodes(root) < 4.5
    full = 1 + sum(_nodes(child) for child in notebook_01.children("." * 9).values())
    return ["after 100,000 simulations there is one node for every four", f"The full tree has {full:,} nodes"]


@cache
def _nodes(board):
    return 1 if notebook_01.over(board) is not None else 1 + sum(map(_nodes, notebook_01.children(board).values()))


def tree_search_favorites():
    """Ten seeds with 500 simulations: the favorite changes with any C, is the center most often, and the picture gets flatter."""
    game, most = TicTacToe(), {}
    for c_uct in (0.5, math.sqrt(2), 3.0):
        trees = [
            uct_search(
                game, UctNode(game, State()), 500, np.random.default_rng(seed), score=partial(uct_score, c_uct=c_uct)
            )
            for seed in range(10)
        ]
        most[c_uct] = np.mean([visits.max() for visits in trees])
        favorites = [int(visits.argmax()) for visits in trees]
        assert len(set(favorites)) > 1
        assert favorites.count(4) > len(favorites) / 2
    assert list(most.values()) == sorted(most.values(), reverse=True)
    return [
        "with ten seeds, {:.0f}, {:.0f} and {:.0f} %".format(*(mean / 5 for mean in most.values())),
        "The favorite changes with the seed for every C, and is most often the center",
    ]


# --- PUCT search --------------------------------------------------------------------------------------------------


def puct_on_the_empty_board():
    game, uniform = TicTacToe(), UniformNetwork(9)
    counts = [sorted(set(mcts_search(game, State(), uniform, number, 1.5)), reverse=True) for number in (50, 2000)]
    (six, five), (most, least) = counts
    return [f"{six:g} or {five:g} visits after 50 simulations, and {most:g} or {least:g} after 2,000"]


# --- Welcome ------------------------------------------------------------------------------------------------------


def welcome_first_opponent():
    card = agents.card("tictactoe")
    assert card["seconds"] < 60
    return [f"it played {card['games']:,} games against itself in less than a minute"]


# --- Play ---------------------------------------------------------------------------------------------------------


def play_rare_endings():
    """How often the second and the fourth of the eight positions come up in self-play, in any of their eight forms."""
    game, network, rng = TicTacToe(), agents.load("tictactoe").network, np.random.default_rng(0)
    forms = [
        {planes.tobytes() for planes, _ in game.symmetries(game.encode(after(game, moves)), np.zeros(9))}
        for moves in ([4, 1], [4, 1, 0, 8, 3, 5])
    ]
    settings = Run.start(game, TrainingConfig(), seed=0).settings()
    games = [self_play_game(game, network, rng, **settings) for _ in range(120)]
    second, fourth = (sum(planes.tobytes() in form for one in games for planes in one.planes) for form in forms)
    assert fourth == 0
    return [
        f"in {len(games)} games that the shipped network played against itself, as in training, the second board came up {second} times and the fourth never"
    ]


# --- Self-play ----------------------------------------------------------------------------------------------------


def self_play_draws():
    def drawn(games, **settings):
        rng = np.random.default_rng(0)
        return np.mean([self_play_game(game, network, rng, **settings).value[0] == 0 for _ in range(games)])

    game, network = TicTacToe(), TorchNetwork(make_network(TicTacToe(), seed=0))
    assert abs(drawn(200, simulations=2) - 1 / 10) < 0.06
    assert abs(drawn(40, simulations=100) - 0.5) < 0.2
    assert abs(drawn(40, simulations=100, noise_fraction=1.0) - 0.5) < 0.2
    return [
        "one game in ten is a draw, and with 100 about half of the games are",
        "No. Again, about half of the games are draws",
    ]


def self_play_opinions():
    game, network = TicTacToe(), TorchNetwork(make_network(TicTacToe(), seed=0))
    policies = [self_play_game(game, network, np.random.default_rng(seed)).policy[0] for seed in range(10)]
    assert len({int(policy.argmax()) for policy in policies}) == 4
    assert max(policy.max() for policy in policies) < 1 / 3
    return ["four different favorites, and none of them has as much as a third of the visits"]


# --- The training loop --------------------------------------------------------------------------------------------


def training_by_kind():
    """The phases, in our run as told, and in the other runs of which every iteration is recorded."""
    recorded, kinds = load_result("tictactoe_loop"), {"win": 1904, "block": 820, "quiet": 467}
    assert {name: int(mask.sum()) for name, mask in zip(kinds, tictactoe_key().kinds.values(), strict=True)} == kinds

    def right(kind, iteration, seed=0):
        row = recorded.one(schedule="as it is", seed=seed, iteration=iteration, simulations=0)
        return round(100 * row[kind] / kinds[kind])

    for seed in range(5):
        assert right("win", 1, seed) > right("block", 1, seed) > right("quiet", 1, seed) and right("win", 1, seed) > 85
        assert right("block", 20, seed) - right("block", 3, seed) < right("quiet", 20, seed) - right("quiet", 3, seed)
    third = recorded.one(schedule="as it is", seed=0, iteration=3, simulations=0)
    return [
        f"In 1,904 of them the player to move can win at once.\nIn {kinds['block']} the opponent threatens",
        f"Only the other {kinds['quiet']} are *quiet*",
        f"So {(kinds['win'] + kinds['block']) / sum(kinds.values()):.0%} of the exam".replace("%", " %"),
        f"its score goes from {right('win', 0)} % to {right('win', 1)} %",
        f"it is at {right('block', 1)} % after one iteration and at {right('block', 3)} % after three",
        f"the average is {100 * third['kept'] / third['of']:.0f} %",
        f"right in only {right('quiet', 3)} %",
        f"the score there rises to {right('quiet', 20)} %",
    ]


def training_is_proven_for_every_seed():
    recorded = load_result("tictactoe_loop").where(schedule="as it is", iteration=20)
    ends = {(row["seed"], row["simulations"]): row["first"] + row["second"] for row in recorded}
    assert {seed for seed, _ in ends} == set(range(20)) and not any(ends[seed, 50] for seed in range(20))
    return ["With 50 simulations, all of these agents are proven never to lose."]


def training_stays_below_its_search():
    """In every recorded iteration: search is ahead of its network, and the network ends above where its search began."""
    recorded = load_result("tictactoe_loop")
    for seed in range(5):  # those of which every iteration is recorded
        right = {
            (row["iteration"], row["simulations"]): row["kept"]
            for row in recorded.where(schedule="as it is", seed=seed)
        }
        assert all(right[iteration, 10] > right[iteration, 0] for iteration in range(21))
        assert right[20, 0] > right[0, 10]
    return ["The search is ahead of its network, and the network ends above where the search began."]


def _positions():
    found, waiting = {"." * 9}, ["." * 9]
    while waiting:
        board = waiting.pop()
        fresh = set(notebook_01.children(board).values()) - found if notebook_01.over(board) is None else set()
        found |= fresh
        waiting += fresh
    return found


def _count(game):
    found, waiting = {game.initial_state()}, [game.initial_state()]
    while waiting:
        state = waiting.pop()
        fresh = {game.play(state, action) for action in game.legal_actions(state)} - found
        found |= fresh
        waiting += fresh
    return len(found)


def batched_one_by_one():
    kinds = [type(make_batched(ConnectN(*size))).__name__ for size in ((7, 8, 5), (8, 8, 4))]
    assert kinds[0] == "LineGame"
    return [f"*Expect* a `{kinds[1]}`"]


def proofs_in_positions():
    """How many simulations a proof takes, with the untrained network of the notebook."""

    def root_of(moves):
        return mcts_search(TicTacToe(), after(TicTacToe(), moves), network, 0, 1.5, return_root=True)[1]

    def simulations(moves, at_most=1000):
        root = root_of(moves)
        made = search_until_proven(root, network, TicTacToe(), at_most, 1.5)
        return made if root.is_terminal else None

    network = TorchNetwork(make_network(TicTacToe(), seed=0))
    assert simulations([], at_most=2000) is None
    careful, proven_at = root_of([0, 1, 4, 8, 2, 6]), {}
    for simulation in range(1, 14):
        search_until_proven(careful, network, TicTacToe(), 1, 1.5)
        for action, child in careful.children.items():
            if child.is_terminal:
                proven_at.setdefault(action, simulation)
    assert proven_at == {5: 4, 7: 9, 3: 13}
    return [
        "in its fourth simulation: the search has tried 5",
        "In the ninth simulation 7 is proven to draw, and in the thirteenth 3 is closed",
        f"{simulations([4, 1])} simulations after 4 and 1, and {simulations([0, 8])} after 0 and 8",
    ]


def proofs_measured():
    rows = load_result("proven").rows
    assert all(row["right"] == row["proven"] for row in rows)
    assert all(
        row["proven"] == row["of"] and 1.5 < row["used"] / row["of"] < 3 for row in rows if row["tactics"] == "win"
    )
    assert all(row["proven"] / row["of"] < 0.5 for row in rows if not row["tactics"])

    def share(key, of="of", **which):
        some = load_result("proven").where(**which)
        return sum(row[key] for row in some) / sum(row[of] for row in some)

    few, many, four = (
        dict(game=game, simulations=n) for game, n in (("tictactoe", 25), ("tictactoe", 100), ("connect_four", 100))
    )
    assert round(5 * sum(row["of"] for row in load_result("proven").where(tactics="win", **few)) / (3 * 3191)) == 3
    assert share("used", **few) < 25 / 2 and 17 < share("used", **many) < 23
    assert share("kept", **four) == share("kept_by_puct", **four)
    gains = [
        [100 * (share("kept", seed=seed, **one) - share("kept_by_puct", seed=seed, **one)) for seed in range(3)]
        for one in (few, many)
    ]
    assert all(0.9 < gain < 2.1 for gain in gains[0]) and all(0 < gain < 0.5 for gain in gains[1])
    of, misses = (
        sum(key(row) for row in load_result("proven").where(**four))
        for key in (lambda row: row["of"], lambda row: row["of"] - row["kept_by_puct"])
    )
    wrong = [1 - share(key, tactics="block", **few) for key in ("kept", "kept_by_puct")]
    assert wrong[0] < wrong[1] / 2 and all(
        abs(share(key, tactics="", **few) - 0.5) < 0.05 for key in ("kept", "kept_by_puct")
    )
    assert misses == 1
    games = load_result("proven_match").rows
    ahead = [wilson_interval(row["wins"], row["wins"] + row["losses"]) for row in games]
    assert len(games) == 3 and all(low < 0.5 < high for low, high in ahead)
    return [
        "Every single proof is right",
        "with 25 simulations, the search that knows gets one or two more moves in a hundred right than PUCT",
        "With 100 simulations it gets hardly more right, and in Connect Four the two get the same number right",
        f"PUCT with 100 simulations chooses a wrong move in one of the {of} positions",
        "In three matches of whole games between the two, we saw no difference",
        "In three of five of them the player to move can win at once",
        "the search that knows makes less than half as many mistakes",
        "In **quiet** positions both searches are wrong in about half of the positions",
    ]


def kept_tree_wins_no_more():
    rows = load_result("kept_tree").where(played="an opponent")
    intervals = [wilson_interval(row["wins"], row["wins"] + row["losses"]) for row in rows]
    assert len(rows) == 7 and all(low < 0.5 < high for low, high in intervals)
    return ["In seven matches against the same agent without a kept tree, we saw no difference in strength"]


def leaf_values_in_time():
    """Who is ahead of whom is what the intervals say."""

    def share(game, leaf, seconds):
        [row] = load_result("leaf_values").where(game=game, leaf=leaf, seconds=seconds)
        return wilson_interval(row["kept"], row["of"])

    def ahead(game, one, other, seconds):
        return share(game, one, seconds)[0] > share(game, other, seconds)[1]

    assert ahead("tictactoe", "network", "rollouts", 0.001)
    tictactoe = load_result("leaf_values").where(game="tictactoe", seconds=0.01)
    assert all(row["kept"] / row["of"] > 0.95 for row in tictactoe)
    assert ahead("connect_four", "rollouts", "network", 0.001) and ahead("connect_four", "network", "rollouts", 0.1)
    behind = [("untrained network", seconds) for seconds in (0.001, 0.01, 0.1)]
    assert all(ahead("connect_four", "rollouts", leaf, seconds) for leaf, seconds in behind)
    assert share("connect_four", "heuristic", 0.1)[1] < share("connect_four", "network", 0.1)[0]

    def made(game, leaf, seconds):
        [row] = load_result("leaf_values").where(game=game, leaf=leaf, seconds=seconds)
        return row["made"] / row["of"]

    assert 2 < made("connect_four", "network", 0.001) < 3
    return [
        "the trained network is ahead with one millisecond, and with ten every search is nearly perfect",
        "one millisecond is enough for only two or three simulations, and the rollouts are ahead",
        "With 100 milliseconds the network is well ahead of the rollouts",
        "The untrained network never gets that far",
    ]


def ablations_show():
    """What the text says of the parts is what the intervals say."""
    rows = load_result("ablations").rows
    whole, *others = dict.fromkeys(row["variant"] for row in rows)
    ends = {variant: difference(rows, variant, whole, 0) for variant in others}
    assert [variant for variant, (_, _, high) in ends.items() if high < 0] == [
        "the small network, no tower",
        "no mirror images",
        "no root value in the target",
        "the training loop's program",
    ]
    assert not any(low > 0 for _, low, _ in ends.values())
    assert min(ends, key=lambda variant: ends[variant][0]) == "the training loop's program"
    searching = {variant: difference(rows, variant, whole, 50) for variant in others}
    weaker = [variant for variant, (_, _, high) in ends.items() if high < 0]
    assert all(searching[variant][0] > ends[variant][0] for variant in weaker)
    seconds = {
        variant: np.mean([row["seconds"] for row in at_the_end(rows, variant, 50).values()])
        for variant in (whole, *others)
    }
    assert seconds["the small network, six times the games and steps"] < seconds[whole]
    _, low, high = ends["the small network, six times the games and steps"]
    assert low < 0 < high
    assert len(at_the_end(rows, whole, 50)) == 5
    games = {variant: np.mean([row["games"] for row in at_the_end(rows, variant, 50).values()]) for variant in seconds}
    small, ours = "the small network, six times the games and steps", "the training loop's program"
    assert seconds[small] < seconds[ours] < seconds[whole]
    assert round(seconds[whole] / seconds["the small network, no tower"]) == 7
    return [
        "The last row changes everything at once",
        f"only {games[ours]:.0f} games, and the small network in lock step {games[small]:,.0f}, in less time",
        "The network alone is weaker without the tower (with as many games), without the mirror images and without the root value",
        "For the cut, the average and the random openings five pairs show no difference",
        "With 50 simulations all of these differences get smaller",
        "plays as many games in a seventh of the time, and ends weaker",
        "With six times as many it still takes less time than the tower, and five pairs show no difference",
    ]


# --- The laboratory: what the text says of its tables is what was recorded -------------------------------------------


def laboratory_interval():
    """All p that lie within 1.96 of their own standard deviations of 87 of 100."""
    inside = [p for p in np.arange(0.0001, 1, 0.0001) if abs(0.87 - p) <= 1.96 * math.sqrt(p * (1 - p) / 100)]
    return [f"Wilson's interval says {100 * min(inside):.0f} to {100 * max(inside):.0f} %"]


def laboratory_random_weights():
    def rows(variant, simulations):
        return load_result("network_under_search").where(variant=variant, simulations=simulations)

    kept = min(row["kept"] / row["of"] for kind in ("uniform", "random", "trained") for row in rows(kind, 500))
    drawn = max(row["drawn_second"] for kind in ("uniform", "random") for row in rows(kind, 500))
    assert [row["first"] + row["second"] for row in rows("trained", 0)] == [0]
    return [
        f"more than {math.floor(1000 * kept) / 10:.1f} % of the positions",
        f"no untrained one draws more than {100 * drawn:.0f} % of its games",
    ]


def laboratory_puzzles():
    """A win for X, a block for O, a fork for X: a network that knows nothing is enough."""
    game = TicTacToe()
    for moves, right in (([0, 1, 4, 2], [8]), ([2, 4, 8], [5]), ([0, 1, 4, 8], [3, 6])):
        assert mcts_search(game, after(game, moves), UniformNetwork(9), 100, 1.5).argmax() in right
    return ["a block by looking two, and a fork by looking three"]


def laboratory_sets():
    record = load_result("thesis_sets")
    names = {row["variant"] for row in record.rows}
    drawn = {name: [row["drawn_second"] for row in record.where(variant=name) if row["simulations"]] for name in names}
    within = np.mean([np.std(shares, ddof=1) for shares in drawn.values()])
    assert 2 < within / np.std([np.mean(shares) for shares in drawn.values()], ddof=1) < 3
    published = {record.where(variant=name)[0]["published"]: name for name in names}
    return [
        "differ more than twice as much as the means of the sets do",
        f"H (all five runs between {100 * min(drawn['H']):.0f} and {100 * max(drawn['H']):.0f} %)",
        f"from {min(published)} games (set {published[min(published)]}) to {max(published)} (set {published[max(published)]})",
    ]


def laboratory_parts():
    record = load_result("parts_of_training")

    def lost(name, simulations):
        return [
            row["first"] + row["second"] for row in record.where(variant=name, iteration=12, simulations=simulations)
        ]

    names = {row["variant"] for row in record.rows}
    apart = {name for name in names if min(lost(name, 0)) > max(lost("plain", 0))}
    assert apart == {"8 simulations", "greedy from the start", "no symmetries"}
    assert sum(count <= max(lost("plain", 0)) for count in lost("three exploratory plies", 0)) == 1
    assert max(max(lost(name, 25)) for name in names) < 15 and len(lost("plain", 0)) == 5
    greedy, few = lost("greedy from the start", 0), lost("8 simulations", 0)
    return [
        f"With eight simulations in self-play {min(few)} to {max(few)} lines are lost",
        f"too few positions are seen: {min(greedy)} to {max(greedy)} lines are lost",
        "Three exploratory plies overlap by one run of five",
        "Even the worst of these players loses few lines with 25 simulations",
    ]


def laboratory_gate():
    with_a_gate = load_result("tictactoe_gate").where(schedule="with a gate", iteration=20)
    without = load_result("tictactoe_loop").where(schedule="as it is", iteration=20)
    alone, searching = (
        [
            [row["first"] + row["second"] for row in rows if row["simulations"] == count]
            for rows in (with_a_gate, without)
        ]
        for count in (0, 50)
    )
    assert not any(map(sum, searching)) and [len(alone[0]), max(alone[0]), max(alone[1])] == [5, 6, 4]
    assert sum(lost > 0 for lost in alone[0]) == 4 and [sum(lost > 0 for lost in alone[1]), len(alone[1])] == [4, 20]
    return [
        "lose up to six lines, and the twenty that always played lose up to four",
        "but only four of the twenty others",
    ]


def laboratory_measure():
    assert load_result("parts_of_training").rows[0]["of"] == 4520
    return [
        f"all 4,520 positions in which the network alone keeps the value (in {4520 - len(exam('tictactoe')):,} of them every move does)"
    ]


def knowledge_of_five_networks():
    """What the five recorded networks play after the fair comparison, and what a probe of forks reaches in them."""
    record = load_result("knowledge")
    fair = record.where(kind="played", iteration=20, layer="layer 1", taken="c wins, if c is free")
    assert len(fair) == 5

    def span(situation):
        shares = [100 * row[situation] for row in fair]
        return f"{min(shares):.0f} to {max(shares):.0f} %"

    return [f"they play a win in {span('c wins')} of the cases, an ordinary move in {span('no threat')}"]


def laboratory_weak_spots():
    """What the text says of the table beside it, and of the agent's benchmark."""
    record = load_result("weak_spots")

    def not_won(simulations, width, guide):
        return [row["drawn"] + row["lost"] for row in record.where(simulations=simulations, width=width, guide=guide)]

    own, untrained, chance = "its own value", "an untrained network's value", "chance"
    wrong = {simulations: record.one(simulations=simulations, guide="benchmark") for simulations in (0, 100)}
    assert (
        min(not_won(0, 64, own)) > 10 * max(not_won(0, 128, chance))
        and all(not_won(25, 64, own))
        and all(not_won(100, 256, own))
    )
    assert not any(
        not_won(25, 64, untrained) + not_won(25, 128, chance) + not_won(100, 64, own) + not_won(100, 512, chance)
    )
    assert {row["blunders"] for row in record.where(simulations=0, guide=own)} == {2, 3}
    assert any(not_won(0, 128, chance))
    for simulations, width in ((0, 64), (25, 64), (100, 256)):
        asked = [row["asked"] for row in record.where(simulations=simulations, width=width, guide=own)]
        assert max(asked) < min(
            row["asked"] for row in record.where(simulations=simulations, width=2 * width, guide=chance)
        )
    return [
        f"which is wrong in {wrong[0]['wrong']} of the {wrong[0]['of']:,} positions",
        f"it is right in {wrong[100]['of'] - wrong[100]['wrong']:,} of the benchmark's {wrong[100]['of']:,} positions",
        "The search finds many more games than chance does, but they share only two or three mistakes",
        "With 100 simulations a width of 64 finds nothing",
    ]


def laboratory_tables():
    """What the text says of the figure beside it."""
    record = load_result("q_table")

    def ends(game, learner, games, value):
        return [value(row) for row in record.where(game=game, learner=learner, games=games)]

    def lost(row):
        return row["first"] + row["second"]

    def kept(row):
        return 100 * row["kept"] / row["of"]

    def seen(row):
        return 100 * row["seen"] / row["positions"]

    def not_won(row):
        return 100 * row["not_won_first"] / row["of_first"]

    small, large, games, some = "tictactoe", "connect_n:4x5x3", "table, random games", "table, epsilon 0.3"
    assert max(ends(small, games, 40_000, lost)) < 10 and min(ends(small, some, 40_000, lost)) > 24
    assert set(ends(small, games, 40_000, seen)) == {100} and 66 < min(ends(small, some, 40_000, seen)) < 73
    assert max(ends(small, "AlphaZero", 1_200, lost)) < 10
    assert max(ends(small, games, 40_000, lambda row: row["seconds"])) < 6.5
    [chance] = ends(large, "a random move", 0, kept)
    assert max(ends(large, games, 40_000, kept) + ends(large, some, 40_000, kept)) < chance + 0.5
    trained, before = ends(large, "AlphaZero", 1_200, kept), ends(large, "AlphaZero", 0, kept)
    early = [row for row in record.where(game=large, learner="AlphaZero") if 0 < row["seconds"] < 9]
    assert max(map(not_won, early)) - min(map(not_won, early)) > 30
    assert max(ends(large, "AlphaZero", 1_200, not_won)) < min(ends(large, some, 40_000, not_won))
    assert max(ends(large, some, 40_000, lambda row: row["seconds"])) < 9
    positions = {row["positions"] for row in record.where(game=large)}
    return [
        f"It has {min(positions):,} positions in which somebody is to move, {min(positions) / 4520:.0f} times as many",
        f"the table with random games has seen {np.mean(ends(large, games, 40_000, seen)):.0f} % of all positions",
        f"and the other table {np.mean(ends(large, some, 40_000, seen)):.0f} %",
        f"its 40,000 games take some {np.mean(ends(small, games, 40_000, lambda row: row['seconds'])):.0f} seconds".replace(
            "5 ", "five "
        ),
        f"The network is right in {min(trained):.0f} to {max(trained):.0f} % of these positions",
        f"An untrained network is right in {min(before):.0f} to {max(before):.0f} %",
    ]


def laboratory_clinic():
    record = load_result("bug_clinic")
    ends = [row for row in record.where(iteration=10) if row["variant"] != "healthy"]
    healthy = record.one(iteration=10, variant="healthy")
    many = 3 * (healthy["first"] + healthy["second"])
    assert {row["variant"] for row in ends if row["first"] + row["second"] > many} == {"3", "4", "5", "10", "11"}
    fewer = {row["variant"] for row in ends if row["kept"] < healthy["kept"] - 0.05 * healthy["of"]}
    assert fewer - {"3", "4", "5", "10", "11"} == {"6", "7", "12"}
    first = {
        row["variant"]: row["draws"] for row in record.where(iteration=1)
    }  # the games of the healthy one, or others
    assert {variant for variant, draws in first.items() if draws != first["healthy"]} == {
        "2",
        "4",
        "6",
        "8",
        "11",
        "12",
    }
    return [
        "Patients 3, 4, 5, 10 and 11 lose more than three times as many lines as the healthy one",
        "Patients 6, 7 and 12 keep the value in fewer positions",
        "*Draws* tells which",
    ]


def _bandits_of_gumbel_search(**changes):
    """Its functions, as they stand in the text, among the names of `search/gumbel.py` and these."""
    text = next(SOURCES.glob("34_*.md")).read_text("utf-8")
    known = {**vars(gumbel), "np": np, "noise": np.random.default_rng(0), **changes}
    for name in ("puct_visits", "puct_bandit", "improved_bandit", "steps_back"):
        exec(re.search(rf"^def {name}\(.*?(?=^\S)", text, re.MULTILINE | re.DOTALL)[0], known)
    return known


def gumbel_steps_back():
    def shares(noise, count):
        seen, found = np.random.default_rng(1), []
        for name in ("puct_bandit", "improved_bandit"):
            known = _bandits_of_gumbel_search()

            def target(prior, q, simulations, bandit=known[name]):
                return bandit(prior, np.clip(q + seen.normal(0, noise, 9), -1, 1), simulations)

            found.append(known["steps_back"](target, 4, count)[0])
        return found

    puct, improved = shares(0, 400)  # as many as in the notebook
    noisy, noisy_improved = shares(0.5, 1500)
    assert 0.005 <= improved < 0.015
    assert abs(noisy - 1 / 4) < 0.03 and abs(noisy_improved - 1 / 6) < 0.02
    return [
        f"With true values, {100 * puct:.0f} of 100 shares of visits are steps back, and about one of 100 improved policies.",
        "With noise it is about a quarter of the shares of visits and a sixth of the improved policies",
    ]


def lessons_for_puct():
    """The improved policy is ahead at each budget, and the more so the fewer simulations there are."""

    def kept(lesson, simulations):
        rows = load_result("lesson_for_puct").where(variant=f"{lesson}, {simulations} simulations")
        return np.array([100 * row["kept"] / row["of"] for row in rows])

    gains = {n: mean_interval(list(kept("improved policy", n) - kept("visits", n))) for n in (4, 8, 16, 32)}
    means = [mean for mean, _, _ in gains.values()]
    assert all(low > 0 for _, low, _ in gains.values()) and means == sorted(means, reverse=True)
    assert 0 < kept("visits", 16).mean() - kept("improved policy", 8).mean() < 2
    return [
        "In all four rows the interval lies above 0",
        "Eight simulations with the better lesson teach nearly as much as sixteen without it",
        f"{gains[4][0]:.1f} points with 4 simulations, {gains[32][0]:.1f} with 32",
    ]


def gumbel_where_it_pays():
    strength = load_result("gumbel_strength")
    networks = list(dict.fromkeys((row["game"], row["network"]) for row in strength.rows))

    def interval(game, network, search, simulations):
        rows = strength.where(game=game, network=network, search=search, simulations=simulations)
        return wilson_interval(sum(row["kept"] for row in rows), sum(row["of"] for row in rows))

    def counted(ours, theirs):
        pairs = [(one, interval(*one, "gumbel", ours), interval(*one, "puct", theirs)) for one in networks]
        ahead = [one for one, (low, _), (_, high) in pairs if low > high]
        return len(ahead), [one for one, (_, high), (low, _) in pairs if high < low]

    assert len(networks) == 8 and counted(4, 4) == (4, [])
    for simulations in (8, 16, 32):
        ahead, behind = counted(simulations, simulations)
        assert ahead == 0 and 1 <= len(behind) <= 2 and {game for game, _ in behind} == {"tictactoe"}
    ahead, behind = counted(16, 64)
    assert ahead == 0 and len(behind) == 7
    return [
        "With 4 simulations Gumbel search is ahead with four of the eight kinds of network, and behind with none",
        "With 8, 16 and 32 it is ahead with none, and behind with one or two",
        "Sixteen of its simulations don't replace sixty-four of PUCT's",
    ]


def scaling_a_faster_learner():
    found = scaling.measured(load_result("scaling").rows)
    faster = found._replace(together=found.together._replace(learn=found.together.learn / 2))
    most, most_faster = (max(map(one.grown, range(1, 1001))) for one in (found, faster))
    enough, enough_faster = (
        next(n for n in range(1, 1001) if one.grown(n) > 0.9 * best)
        for one, best in ((found, most), (faster, most_faster))
    )
    return [
        f"{most_faster:.0f} games per second instead of {most:.0f}",
        f"now it takes {enough_faster} workers, not {enough}, to reach 90 % of that",
    ]


def scaling_as_late_as_its_games():
    """Two fresh iterations teach about as much as games `late` iterations late do in `late` more."""
    stale = load_result("staleness")

    def lines(late, iteration):
        return [row["first"] + row["second"] for row in stale.where(late=late, iteration=iteration)]

    fresh = lines(0, 2)
    for late in (2, 4, 8):
        assert 0.75 < sum(lines(late, 2 + late)) / sum(fresh) < 1.35
        assert sum(lines(late, 2)) > 1.5 * sum(fresh)
    assert lines(8, 6) == lines(16, 6) != lines(4, 6)
    return [f"two fresh iterations ({', '.join(map(str, fresh))})"]


EXPECTED = {
    "00": [welcome_first_opponent],
    "10": [welcome_first_opponent],
    "11": [bandits_others_only, bandits_shrinking_epsilon, bandits_nearly_equal],
    "12": [
        perfect_play_with_an_endless_window,
        game_first_moves,
        game_played_on,
        game_without_the_anti_diagonal,
    ],
    "13": [
        tree_search_fixed,
        tree_search_counts,
        tree_search_favorites,
        leaf_values_in_time,
    ],
    "14": [proofs_in_positions, proofs_measured, kept_tree_wins_no_more],
    "03": [puct_on_the_empty_board],
    "04": [self_play_draws, self_play_opinions],
    "05": [training_by_kind, training_is_proven_for_every_seed, training_stays_below_its_search],
    "06": [play_rare_endings],
    "22": [knowledge_of_five_networks],
    "31": [
        batched_one_by_one,
    ],
    "32": [ablations_show],
    "41": [
        laboratory_interval,
        laboratory_random_weights,
        laboratory_puzzles,
        laboratory_sets,
        laboratory_parts,
        laboratory_gate,
        laboratory_measure,
        laboratory_weak_spots,
        laboratory_tables,
        laboratory_clinic,
    ],
    "34": [gumbel_steps_back, lessons_for_puct, gumbel_where_it_pays],
    "35": [scaling_a_faster_learner, scaling_as_late_as_its_games],
}


@pytest.mark.parametrize(
    ("notebook", "computed"), [(notebook, one) for notebook, all_of in EXPECTED.items() for one in all_of]
)
def test_what_a_text_promises_comes_out(notebook, computed, monkeypatch):
    text = next(SOURCES.glob(f"{notebook}_*.md")).read_text("utf-8")
    for sentence in computed(monkeypatch) if inspect.signature(computed).parameters else computed():
        assert sentence in text
