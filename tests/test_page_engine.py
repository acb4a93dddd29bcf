"""The engine of the pages, against Python: the same rules, networks, searches and gradients. It runs in Chromium, as the one script that pages get."""

import base64
import copy
import json

import numpy as np
import pytest
import torch

from course_utils import agents
from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.games.connect_n import ConnectN
from course_utils.learning.proof import AnswerKey
from course_utils.learning.self_play import sample_action, value_targets
from course_utils.learning.training import alphazero_loss, train_step
from course_utils.networks.exported import exported, game_in_numbers
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide
from course_utils.search.minimax import solve
from course_utils.search.puct import mcts_search
from course_utils.ui.analysis import Analysis
from course_utils.ui.engine_script import engine_script
from tests.browser import browser  # noqa: F401

TICTACTOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
SEARCHED = """({ network, lines, simulations }) => {
  const net = engine.load_network(network);
  return lines.map((line) => {
    const state = engine.after(net.game, line);
    const [value, logits] = net.forward(net.game.encode(state));
    const root = engine.mcts_search(net.game, state, net, simulations, net.settings.c_puct);
    return { value, logits: [...logits], visits: [...root.N], Q: [...root.Q], P: [...root.P] };
  });
}"""


@pytest.fixture(scope="module")
def page(browser):  # noqa: F811
    """A page with the engine, which is offline."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_content("<!doctype html><title>engine</title>")
    page.add_script_tag(content=engine_script().replace("const engine", "var engine", 1))
    yield page
    context.close()


def lines_to(game, states) -> list[list[int]]:
    """A line of play to each of these positions."""
    lines, found = {game.initial_state(): []}, [game.initial_state()]
    for state in found:
        for action in game.legal_actions(state):
            if (child := game.play(state, action)) not in lines:
                lines[child] = [*lines[state], action]
                found.append(child)
    return [lines[state] for state in states]


def random_lines(game, count: int, seed: int = 0) -> list[list[int]]:
    """Lines of random play, each of which ends before the game is over."""
    rng, lines = np.random.default_rng(seed), []
    while len(lines) < count:
        state, line = game.initial_state(), []
        for _ in range(rng.integers(0, 30)):
            line.append(int(rng.choice(game.legal_actions(state))))
            state = game.play(state, line[-1])
            if game.is_terminal(state):
                break
        else:
            lines.append(line)
    return lines


def searches(page, net, game, lines, simulations, number="float32"):
    """(what the engine says, what Python says) of each position."""
    network = exported(net, game, number)
    said = page.evaluate(SEARCHED, {"network": network, "lines": lines, "simulations": simulations})
    asked = TorchNetwork(net)
    agent = SearchAgent(game, asked, simulations)
    for line, engine in zip(lines, said, strict=True):
        state = after(game, line)
        value, logits = asked(game.encode(state)[None])
        _, root = mcts_search(game, state, asked, simulations, agent.c_puct, return_root=True)
        yield engine, {"value": value[0], "logits": logits[0], "visits": root.N, "Q": root.Q, "P": root.P}


# --- the rules -----------------------------------------------------------------------------------------------------------


def test_the_rules_are_those_of_the_course_in_all_positions_of_tic_tac_toe(page):
    states = list(solve(TICTACTOE, TICTACTOE.initial_state()))
    said = page.evaluate(
        """([sizes, lines]) => { const game = new engine.LineGame(sizes); return lines.map((line) => {
            const state = engine.after(game, line);
            return [[...state.cells], game.winner(state), game.is_terminal(state), game.to_play(state), game.legal_actions(state), [...game.encode(state)]]; }); }""",
        [game_in_numbers(TICTACTOE), lines_to(TICTACTOE, states)],
    )
    assert len(said) == 5478
    for state, told in zip(states, said, strict=True):
        assert told == rules(TICTACTOE, state)


@pytest.mark.parametrize("game", [CONNECT_FOUR, ConnectN(4, 5, 3), ConnectN(5, 4, 4)], ids=lambda game: game.name)
def test_stones_fall_and_win_as_in_the_course(page, game):
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(60):
        state, line = game.initial_state(), []
        while not game.is_terminal(state):
            line.append(int(rng.choice(game.legal_actions(state))))
            state = game.play(state, line[-1])
        lines.append(line)
    said = page.evaluate(
        """([sizes, lines]) => { const game = new engine.LineGame(sizes); return lines.map((line) => {
            let state = game.initial_state();
            return [null, ...line].map((action) => { if (action !== null) state = game.play(state, action);
                return [[...state.cells], game.winner(state), game.is_terminal(state), game.to_play(state), game.legal_actions(state), [...game.encode(state)]]; }); }); }""",
        [game_in_numbers(game), lines],
    )
    for line, told in zip(lines, said, strict=True):
        for ply in range(len(line) + 1):
            assert told[ply] == rules(game, after(game, line[:ply]))


def rules(game, state) -> list:
    cells = game.cells(state).ravel().tolist()
    planes = game.encode(state).ravel().tolist()
    return [
        cells,
        game.winner(state),
        game.is_terminal(state),
        game.to_play(state),
        game.legal_actions(state),
        planes,
    ]


@pytest.mark.parametrize("game", [TICTACTOE, CONNECT_FOUR], ids=lambda game: game.name)
def test_the_symmetric_forms_are_the_same(page, game):
    planes = np.arange(game.planes * game.rows * game.columns, dtype=np.float32)
    policy = np.arange(game.num_actions, dtype=np.float64)
    said = page.evaluate(
        "([sizes, planes, policy]) => new engine.LineGame(sizes).symmetries(planes, policy)",
        [game_in_numbers(game), planes.tolist(), policy.tolist()],
    )
    ours = game.symmetries(planes.reshape(game.planes, game.rows, game.columns), policy)
    assert sorted(said) == sorted([turned.ravel().tolist(), moved.tolist()] for turned, moved in ours)


# --- networks and search -------------------------------------------------------------------------------------------------


def test_every_search_of_tic_tac_toe_counts_the_same_visits(page):
    net = agents.load("tictactoe").network.net
    states = [state for state in solve(TICTACTOE, TICTACTOE.initial_state()) if not TICTACTOE.is_terminal(state)]
    lines = lines_to(TICTACTOE, states)
    assert len(lines) == 4520
    for engine, ours in searches(page, net, TICTACTOE, lines, 50):
        assert engine["visits"] == ours["visits"].tolist()
        for name in ("value", "logits", "Q", "P"):
            np.testing.assert_allclose(engine[name], ours[name], atol=1e-5)


def settled(net, game):
    """With statistics of batch norm that are not those of a new network."""
    planes = np.stack([game.encode(after(game, line)) for line in random_lines(game, 64, seed=5)])
    with torch.no_grad():
        for _ in range(5):
            net.train()(torch.from_numpy(planes))
    return net.eval()


@pytest.mark.parametrize(
    ("net", "game"),
    [
        (settled(make_resnet(CONNECT_FOUR, 0, blocks=2, channels=16, kernel=5), CONNECT_FOUR), CONNECT_FOUR),
        (settled(make_resnet(CONNECT_FOUR, 0, blocks=1, channels=8, bias=False), CONNECT_FOUR), CONNECT_FOUR),
        (settled(make_resnet(TICTACTOE, 1, blocks=0, channels=8, policy_filters=3), TICTACTOE), TICTACTOE),
        (settled(make_wide(CONNECT_FOUR, 0, (32, 16)), CONNECT_FOUR), CONNECT_FOUR),
        (settled(make_wide(CONNECT_FOUR, 0, (32, 16, 8), lines=True), CONNECT_FOUR), CONNECT_FOUR),
        (settled(make_wide(CONNECT_FOUR, 0, (32, 16, 8), lines=True, mirror=True), CONNECT_FOUR), CONNECT_FOUR),
        (settled(make_wide(TICTACTOE, 0, (16, 8), lines=True, mirror=True), TICTACTOE), TICTACTOE),
        (make_network(CONNECT_FOUR, seed=0, hidden=32), CONNECT_FOUR),
    ],
)
def test_every_kind_of_network_is_searched_with_the_same_visits(page, net, game):
    lines = random_lines(game, 40)
    for engine, ours in searches(page, net, game, lines, 40):
        assert engine["visits"] == ours["visits"].tolist()
        np.testing.assert_allclose(engine["value"], ours["value"], atol=1e-5)
        np.testing.assert_allclose(engine["logits"], ours["logits"], atol=1e-5)


@pytest.mark.full
def test_a_thousand_positions_of_connect_four_are_searched_alike(page):
    net = agents.load("connect_four").network.net
    lines = random_lines(CONNECT_FOUR, 1000)
    same = [
        engine["visits"] == ours["visits"].tolist() for engine, ours in searches(page, net, CONNECT_FOUR, lines, 100)
    ]
    assert sum(same) >= 998  # the last bit of a sum may decide between two moves that are alike


def test_the_shipped_network_in_half_precision_plays_the_same_moves(page):
    net = agents.load("connect_four").network.net
    lines = random_lines(CONNECT_FOUR, 30, seed=3)
    for engine, ours in searches(page, net, CONNECT_FOUR, lines, 50, "float16"):
        assert np.argmax(engine["visits"]) == np.argmax(ours["visits"])
        assert engine["value"] == pytest.approx(ours["value"], abs=0.01)


def test_perfect_play_is_that_of_the_course(page):
    states = [state for state in solve(TICTACTOE, TICTACTOE.initial_state()) if not TICTACTOE.is_terminal(state)][::11]
    said = page.evaluate(
        """([sizes, lines]) => { const game = new engine.LineGame(sizes), agent = new engine.MinimaxAgent(game);
            return lines.map((line) => { const state = engine.after(game, line); return [agent.act(state), agent.value(state), agent.plies(state)]; }); }""",
        [game_in_numbers(TICTACTOE), lines_to(TICTACTOE, states)],
    )
    perfect, analysis = MinimaxAgent(TICTACTOE), Analysis(TICTACTOE, None, None)
    for state, told in zip(states, said, strict=True):
        plies = {str(action): count for action, count in analysis.plies(state).items()}
        assert told == [perfect.act(state), perfect.value(state), plies]


# --- training ------------------------------------------------------------------------------------------------------------


def batch_of(size: int, seed: int):
    rng = np.random.default_rng(seed)
    states = [state for state in solve(TICTACTOE, TICTACTOE.initial_state()) if not TICTACTOE.is_terminal(state)]
    planes = np.stack([TICTACTOE.encode(states[place]) for place in rng.integers(len(states), size=size)])
    policy = rng.dirichlet([0.3] * 9, size=size).astype(np.float32)
    return planes, policy, rng.choice([-1, 0, 1], size=size).astype(np.float32)


def in_numbers(planes, policy, value) -> list[dict]:
    rows = zip(planes, policy, value, strict=True)
    return [dict(planes=p.ravel().tolist(), policy=pi.tolist(), value=float(z)) for p, pi, z in rows]


TORCHS = {"trunk_1": "trunk.1", "trunk_2": "trunk.3", "policy_head": "policy_head", "value_head": "value_head"}


def in_torchs_order(parameters: dict, net) -> dict:
    """The engine's numbers by PyTorch's names, and in its shapes."""
    told = {}
    for name, theirs in TORCHS.items():
        layer = net.get_submodule(theirs)
        told[f"{theirs}.weight"] = np.array(parameters[f"{name}.W"]).reshape(layer.in_features, layer.out_features).T
        told[f"{theirs}.bias"] = np.array(parameters[f"{name}.b"])
    return told


def test_the_gradients_are_those_of_pytorch(page):
    net = make_network(TICTACTOE, seed=4)
    planes, policy, value = batch_of(64, seed=0)
    losses, gradients = page.evaluate(
        """([network, batch]) => { const net = engine.load_network(network), parameters = engine.parameters_of(net);
            const losses = engine.backward(net, parameters, batch);
            return [losses, Object.fromEntries(Object.entries(parameters).map(([name, { gradient }]) => [name, [...gradient]]))]; }""",
        [exported(net, TICTACTOE), in_numbers(planes, policy, value)],
    )
    predicted, logits = net(torch.from_numpy(planes))
    ours = alphazero_loss(predicted, logits, torch.from_numpy(value), torch.from_numpy(policy))
    sum(ours).backward()
    np.testing.assert_allclose(losses, [part.item() for part in ours], atol=1e-5)
    told = in_torchs_order(gradients, net)
    for name, parameter in net.named_parameters():
        np.testing.assert_allclose(told[name], parameter.grad, atol=1e-5, err_msg=name)
        assert np.abs(parameter.grad.numpy()).max() > 1e-3


def test_steps_of_adamw_lead_to_the_weights_of_pytorch(page):
    net = make_network(TICTACTOE, seed=4)
    batches = [batch_of(32, seed=seed) for seed in range(12)]
    given = exported(net, TICTACTOE)
    numbers = page.evaluate(
        """([network, batches]) => { const net = engine.load_network(network), parameters = engine.parameters_of(net);
            const optimizer = new engine.AdamW(parameters, { learning_rate: 1e-2, weight_decay: 0.1 });
            for (const batch of batches) engine.train_step(net, parameters, optimizer, batch);
            return Object.fromEntries(Object.entries(parameters).map(([name, { numbers }]) => [name, [...numbers]])); }""",
        [given, [in_numbers(*batch) for batch in batches]],
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2, weight_decay=0.1)
    for batch in batches:
        train_step(net, optimizer, *batch)
    told = in_torchs_order(numbers, net)
    for name, parameter in net.named_parameters():
        np.testing.assert_allclose(told[name], parameter.detach(), atol=1e-4, err_msg=name)


def test_large_logits_do_not_make_the_loss_infinite(page):
    said = page.evaluate("engine.alphazero_loss([0.5, -1], [[1000, 0], [0, -1000]], [1, -1], [[0.5, 0.5], [1, 0]])")
    values = torch.tensor([0.5, -1]), torch.tensor([[1000.0, 0], [0, -1000]])
    ours = alphazero_loss(*values, torch.tensor([1.0, -1]), torch.tensor([[0.5, 0.5], [1, 0]]))
    assert said == pytest.approx([part.item() for part in ours])


def test_a_game_of_self_play_follows_its_rules(page):
    games = page.evaluate(
        """(sizes) => { const game = new engine.LineGame(sizes), rng = new engine.Generator(7);
            return Array.from({ length: 20 }, () => engine.self_play_game(game, engine.make_network(game, rng), rng, { simulations: 12, exploratory_plies: 2 })
                .map(({ planes, policy, value }) => [[...planes], [...policy], value])); }""",
        game_in_numbers(TICTACTOE),
    )
    for examples in games:
        state, players = TICTACTOE.initial_state(), []
        for ply, (planes, policy, _) in enumerate(examples):
            assert planes == TICTACTOE.encode(state).ravel().tolist()
            assert sum(policy) == pytest.approx(1)
            assert all(policy[action] == 0 for action in range(9) if action not in TICTACTOE.legal_actions(state))
            players.append(TICTACTOE.to_play(state))
            if ply + 1 < len(examples):
                moved = np.reshape(examples[ply + 1][0], (2, 9)).sum(axis=0) - np.reshape(planes, (2, 9)).sum(axis=0)
                action = int(np.argmax(moved))
                assert ply < 2 or action == int(np.argmax(policy))
            else:
                action = int(np.argmax(policy))
            state = TICTACTOE.play(state, action)
        assert TICTACTOE.is_terminal(state)
        assert [value for *_, value in examples] == value_targets(players, TICTACTOE.winner(state)).tolist()
    assert len({json.dumps(examples) for examples in games}) > 10


def test_moves_are_sampled_by_their_visits(page):
    sampled = page.evaluate(
        """() => { const rng = new engine.Generator(3);
            return [1, 0.5, 0].map((temperature) => { const counts = [0, 0, 0, 0];
                for (let draw = 0; draw < 20000; draw++) counts[engine.sample_action(Float64Array.of(1, 0, 3, 2), temperature, rng)]++;
                return counts.map((count) => count / 20000); }); }"""
    )
    for shares, weights in zip(sampled, ([1, 0, 3, 2], [1, 0, 9, 4], [0, 0, 1, 0]), strict=True):
        np.testing.assert_allclose(shares, np.divide(weights, sum(weights)), atol=0.015)
    assert sample_action(np.array([1, 0, 3, 2]), 0, np.random.default_rng(0)) == 2


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.0])
def test_dirichlet_noise_has_the_mean_and_the_spread_of_numpys(page, alpha):
    draws = np.array(
        page.evaluate(
            "(alpha) => { const rng = new engine.Generator(1); return Array.from({ length: 8000 }, () => rng.dirichlet(alpha, 3)); }",
            alpha,
        )
    )
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    np.testing.assert_allclose(draws.mean(axis=0), 1 / 3, atol=0.02)
    np.testing.assert_allclose(draws.var(axis=0), (2 / 9) / (3 * alpha + 1), atol=0.01)


def test_the_losing_lines_of_the_shipped_network_are_those_that_python_counts(page):
    weights = make_network(TICTACTOE, seed=2)
    said = page.evaluate(
        "(data) => { const net = engine.load_network(data); return engine.count_lines(net.game, (state) => engine.network_move(net.game, net, state)); }",
        exported(weights, TICTACTOE),
    )
    key = AnswerKey(TICTACTOE)
    lines = [int(key.lines(key.moves(TorchNetwork(weights), 0), side).losses) for side in (1, -1)]
    assert said == lines
    assert min(lines) > 0


# --- files that are no networks --------------------------------------------------------------------------------------------


def test_what_is_no_network_is_refused_in_a_sentence(page):
    good = exported(make_network(TICTACTOE, seed=0), TICTACTOE)
    wide = exported(make_wide(TICTACTOE, 0, (8, 8), lines=True, mirror=True), TICTACTOE)

    def changed(data, *path, to):
        data = copy.deepcopy(data)
        place = data
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = to
        return data

    infinite = base64.b64encode(np.full(9, np.inf, dtype="<f4").tobytes()).decode()
    bad = [
        None,
        [],
        "network",
        {},
        changed(good, "version", to=2),
        changed(good, "architecture", to="constructor"),
        changed(good, "architecture", to=["wide"]),
        changed(good, "game", to=None),
        changed(good, "game", "rows", to=1e9),
        changed(good, "game", "rows", to=-3),
        changed(good, "game", "columns", to="3"),
        changed(good, "game", "columns", to=4),
        changed(good, "config", "hidden", to=1e9),
        changed(good, "config", "hidden", to=65),
        changed(good, "config", to=7),
        changed(good, "number", to="float64"),
        changed(good, "settings", "c_puct", to="many"),
        changed(good, "layers", to=[]),
        changed(good, "layers", "trunk_1", "W", to="AAAA"),
        changed(good, "layers", "policy_head", "b", to="?" * 48),
        changed(good, "layers", "policy_head", "b", to=infinite),
        changed(good, "layers", "policy_head", "b", to={"toString": "x"}),
        changed(wide, "config", "widths", to=[]),
        changed(wide, "config", "widths", to=[10_000] * 10_000),
        changed(wide, "config", "line", to=1e9),
        changed(wide, "config", "mirror", to=[0] * 9),
        changed(wide, "config", "mirror", to="012345678"),
        changed(wide, "config", "mirror", to=9),
    ]
    said = page.evaluate(
        "(files) => files.map((data) => { try { engine.load_network(data); return null; } catch (error) { return `${error.name}: ${error.message}`; } })",
        bad,
    )
    for data, message in zip(bad, said, strict=True):
        assert message is not None, str(data)[:300]
        assert message.startswith("Error: "), (message, str(data)[:300])
    assert page.evaluate("(data) => engine.load_network(data).forward(new Float32Array(18)).length", good) == 2


def test_only_networks_of_the_course_and_its_line_games_are_exported():
    from tests.othello import Othello

    with pytest.raises(ValueError, match="n in a row"):
        exported(make_network(Othello(), seed=0), Othello())
    with pytest.raises(ValueError, match="not one of the course's networks"):
        exported(torch.nn.Linear(2, 2), TICTACTOE)
    with pytest.raises(ValueError, match="not made for the board"):
        exported(make_network(CONNECT_FOUR, seed=0), TICTACTOE)


def test_the_names_of_the_searches_are_those_of_python_in_their_order():
    """The two are read side by side."""
    from course_utils.learning import self_play, training
    from course_utils.search import puct
    from course_utils.ui.engine_script import ENGINE

    for module, file, names in (
        (puct, "puct", ["Node", "select_child", "select", "expand", "evaluate", "backup", "mcts_search", "search_on"]),
        (self_play, "self_play", ["sample_action", "add_root_noise", "value_targets", "self_play_game"]),
        (training, "training", ["alphazero_loss", "train_step"]),
    ):
        text = (ENGINE / f"{file}.js").read_text("utf-8")
        places = {
            name: min(text.find(f"export {kind} {name}") % 10**9 for kind in ("class", "function", "const"))
            for name in names
        }
        assert sorted(names, key=places.__getitem__) == names, module
        assert max(places.values()) < 10**8, places
