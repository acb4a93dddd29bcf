"""The small torch of the browser tab (`tab/src/torch`): each operation gives PyTorch's numbers and gradients, and
training PyTorch's losses.
"""

import io
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tab_torch import FOLDER, small

BOTH = torch, small
SIZES = st.integers(1, 4)


def drawn(shape, seed: int, positive: bool = False) -> np.ndarray:
    numbers = np.random.default_rng(seed).normal(size=shape)
    return np.abs(numbers) + 0.1 if positive else numbers


def compare(compute, *arrays: np.ndarray) -> None:
    """The same results from both, and the same gradients of each array."""
    results = []
    for library in BOTH:
        tensors = [library.tensor(array, requires_grad=True) for array in arrays]
        result = compute(library, *tensors)
        weights = np.cos(np.arange(result.numel()) + 1).reshape(tuple(result.shape))  # no two numbers count alike
        (result * library.tensor(weights)).sum().backward()
        results.append([result.detach().numpy(), *(tensor.grad.numpy() for tensor in tensors)])
    for theirs, ours in zip(*results, strict=True):
        assert theirs.shape == ours.shape and theirs.dtype == ours.dtype
        np.testing.assert_allclose(ours, theirs, atol=1e-10)


OF_EACH_NUMBER = {
    "exp": lambda t, x: t.exp(x),
    "log": lambda t, x: t.log(x * x + 0.1),
    "sqrt": lambda t, x: (x * x + 0.1).sqrt(),
    "square": lambda t, x: x.square(),
    "abs": lambda t, x: abs(x),
    "relu": lambda t, x: t.relu(x),
    "tanh": lambda t, x: t.tanh(x),
    "sigmoid": lambda t, x: t.sigmoid(x),
    "clamp": lambda t, x: x.clamp(-0.5, 0.5),
    "a power": lambda t, x: x**3,
    "a power of a number": lambda t, x: 2**x,
    "minus": lambda t, x: 3 - x,
    "divided": lambda t, x: 2 / (x * x + 1),
    "in place on what is computed": lambda t, x: plus_in_place(x),
    "another kind": lambda t, x: x.float().double(),
}


def plus_in_place(x):
    total = x * 2
    total += x
    total *= 3
    return total


@pytest.mark.parametrize("name", OF_EACH_NUMBER)
@given(shape=st.lists(SIZES, max_size=3), seed=st.integers(0, 99))
@settings(max_examples=8)
def test_a_function_of_each_number_is_pytorchs(name, shape, seed):
    compare(OF_EACH_NUMBER[name], drawn(shape, seed))


OF_TWO = {
    "add": lambda t, x, y: x + y,
    "sub": lambda t, x, y: x - y,
    "mul": lambda t, x, y: t.mul(x, y),
    "div": lambda t, x, y: x / (y * y + 1),
    "pow": lambda t, x, y: (x * x + 0.5) ** y,
    "maximum": lambda t, x, y: t.maximum(x, y),
    "minimum": lambda t, x, y: t.minimum(x, y),
    "where": lambda t, x, y: t.where(x > y, x, y * 2),
    "used twice": lambda t, x, y: x * y + x * x,
}


@pytest.mark.parametrize("name", OF_TWO)
@given(
    shape=st.lists(SIZES, min_size=1, max_size=3),
    stretched=st.lists(st.booleans(), max_size=3),
    seed=st.integers(0, 99),
)
@settings(max_examples=8)
def test_a_function_of_two_is_pytorchs_for_shapes_that_are_broadcast(name, shape, stretched, seed):
    shape_of_other = [1 if thin else length for length, thin in zip(shape[::-1], stretched, strict=False)][::-1]
    compare(OF_TWO[name], drawn(shape, seed), drawn(shape_of_other, seed + 1))


OVER = {
    "sum": lambda t, x, dim, keep: x.sum(dim=dim, keepdim=keep),
    "mean": lambda t, x, dim, keep: x.mean(dim, keepdim=keep),
    "logsumexp": lambda t, x, dim, keep: t.logsumexp(x, dim, keepdim=keep),
    "softmax": lambda t, x, dim, keep: x.softmax(dim),
    "log_softmax": lambda t, x, dim, keep: t.log_softmax(x, dim=dim),
    "max": lambda t, x, dim, keep: x.max(dim, keepdim=keep)[0],
    "min": lambda t, x, dim, keep: t.min(x, dim)[0],
    "unsqueeze": lambda t, x, dim, keep: x.unsqueeze(dim),
    "squeeze": lambda t, x, dim, keep: (x if keep else x.sum(dim, keepdim=True)).squeeze(dim),
    "flip": lambda t, x, dim, keep: x.flip(dim),
    "stack": lambda t, x, dim, keep: t.stack([x, x * 2], dim),
    "cat": lambda t, x, dim, keep: t.cat([x, x * 2, x], dim),
    "flatten": lambda t, x, dim, keep: x.flatten(dim),
    "chunk": lambda t, x, dim, keep: x.chunk(2, dim)[0],
    "split": lambda t, x, dim, keep: x.split(2, dim)[-1],
}


@pytest.mark.parametrize("name", OVER)
@given(
    shape=st.lists(SIZES, min_size=1, max_size=3), dim=st.integers(0, 2), keep=st.booleans(), seed=st.integers(0, 99)
)
@settings(max_examples=8)
def test_what_goes_over_a_dimension_is_pytorchs(name, shape, dim, keep, seed):
    compare(lambda t, x: OVER[name](t, x, dim % len(shape), keep), drawn(shape, seed))


OF_ALL = {
    "sum": lambda t, x: x.sum(),
    "mean": lambda t, x: t.mean(x),
    "max": lambda t, x: x.max(),
    "min": lambda t, x: t.min(x),
    "reshape": lambda t, x: x.reshape(-1),
    "view": lambda t, x: x.view(1, -1),
    "transpose": lambda t, x: x.transpose(0, 1),
    "T": lambda t, x: x.T,
    "permute": lambda t, x: x.permute(1, 0),
    "expand": lambda t, x: x.expand(3, -1, -1),
    "a row": lambda t, x: x[0],
    "a column": lambda t, x: x[:, -1],
    "a new axis": lambda t, x: x[:, None],
    "chosen, one twice": lambda t, x: x[t.tensor([0, 0, -1])],
    "masked": lambda t, x: x[x > 0],
    "index_select": lambda t, x: x.index_select(1, t.tensor([0, 0])),
    "gather, one twice": lambda t, x: x.gather(1, t.zeros(len(x), 2, dtype=t.int64)),
    "masked_fill": lambda t, x: x.masked_fill(x > 0, 7),
    "two sums": lambda t, x: x.sum(dim=(0, 1)),
    "clone": lambda t, x: x.clone(),
    "unbind": lambda t, x: t.stack([*x]),
    "einsum": lambda t, x: t.einsum("ab,ab->a", x, x),
    "einsum to a number": lambda t, x: t.einsum("ab,cb->", x, x),
    "dot": lambda t, x: x[0].dot(x[-1]),
    "a product with its own turned": lambda t, x: x @ x.T,
}


@pytest.mark.parametrize("name", OF_ALL)
@given(rows=SIZES, columns=SIZES, seed=st.integers(0, 99))
@settings(max_examples=8)
def test_what_takes_a_table_is_pytorchs(name, rows, columns, seed):
    compare(OF_ALL[name], drawn((rows, columns), seed))


@pytest.mark.parametrize(
    "left, right",
    [((), ()), (("a",), ()), ((), ("b",)), (("a",), ("b",)), (("n", "a"), ("n", "b")), (("n", "a"), ("b",))],
)
@given(sizes=st.tuples(SIZES, SIZES, SIZES, SIZES), seed=st.integers(0, 99))
@settings(max_examples=5)
def test_a_product_of_matrices_or_vectors_is_pytorchs(left, right, sizes, seed):
    a, b, n, inner = sizes
    length = dict(a=a, b=b, n=n)
    x, y = (
        [*(length[letter] for letter in left), inner],
        [*(length[letter] for letter in right[:-1]), inner, *(length[letter] for letter in right[-1:])],
    )
    compare(lambda t, x, y: x @ y, drawn(x, seed), drawn(y, seed + 1))


LOSSES = {
    "mse_loss": lambda t, x, y, how: t.nn.functional.mse_loss(x, y, reduction=how),
    "l1_loss": lambda t, x, y, how: t.nn.functional.l1_loss(x, y, reduction=how),
    "cross_entropy": lambda t, x, y, how: t.nn.functional.cross_entropy(x, y.softmax(1), reduction=how),
    "cross_entropy of actions": lambda t, x, y, how: t.nn.functional.cross_entropy(
        x + 0 * y, y.argmax(1), reduction=how
    ),
    "kl_div": lambda t, x, y, how: t.nn.functional.kl_div(x.log_softmax(1), y.softmax(1), reduction=how),
    "kl_div of logarithms": lambda t, x, y, how: t.nn.functional.kl_div(x, y, reduction=how, log_target=True),
    "linear": lambda t, x, y, how: t.nn.functional.linear(x, y),
}


@pytest.mark.parametrize("name", LOSSES)
@given(rows=SIZES, columns=SIZES, how=st.sampled_from(["mean", "sum", "none"]), seed=st.integers(0, 99))
@settings(max_examples=8)
@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
def test_a_loss_is_pytorchs(name, rows, columns, how, seed):
    compare(lambda t, x, y: LOSSES[name](t, x, y, how), drawn((rows, columns), seed), drawn((rows, columns), seed + 1))


PLAIN = {
    "argmax": lambda t, x: x.argmax(dim=1),
    "argmin": lambda t, x: t.argmin(x),
    "argsort": lambda t, x: x.argsort(dim=1, descending=True),
    "any": lambda t, x: (x > 1).any(),
    "all": lambda t, x: (x > -1).all(dim=0),
    "both": lambda t, x: (x > 0) & ~(x > 1) | (x < -1),
    "whole numbers divided": lambda t, x: t.arange(4) / 3,
    "a whole number times one with a point": lambda t, x: t.arange(3) * t.ones(3),
    "a count": lambda t, x: (x > 0).sum(),
    "a list": lambda t, x: t.tensor([[1, 2], [3, 4.5]]),
    "whole": lambda t, x: x.long(),
    "in 32 bits, halved": lambda t, x: t.tensor([1.0, 3.0]) * 0.5,
    "full": lambda t, x: t.full((2, 3), 0.5),
    "zeros": lambda t, x: t.zeros(2, 1),
    "ones_like": lambda t, x: t.ones_like(x),
    "arange": lambda t, x: t.arange(1, 2, 0.25),
    "one_hot": lambda t, x: t.nn.functional.one_hot(t.tensor([2, 0]), 3),
    "in place": lambda t, x: x.clone().mul_(2).add_(1).clamp_(-1, 2),
    "written into": lambda t, x: written(x.clone()),
}  # fmt: skip


def written(x):
    x[x < 0] = 7
    x[0, :2] = x[0, :2] * 2
    return x


@pytest.mark.parametrize("name", PLAIN)
def test_what_has_no_gradient_is_pytorchs(name):
    theirs, ours = (PLAIN[name](library, library.tensor(drawn((3, 4), 0))) for library in BOTH)
    assert str(theirs.dtype) == str(ours.dtype) and tuple(theirs.shape) == tuple(ours.shape)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-7)


# --- backward --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", BOTH, ids=["PyTorch", "small"])
def test_gradients_add_up_and_a_graph_is_walked_once(library):
    x = library.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [4, 8]
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    with library.no_grad():
        assert not (x * 2).requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        x.detach().sum().backward()
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x.add_(1)


@pytest.mark.parametrize("library", BOTH, ids=["PyTorch", "small"])
def test_a_long_chain_is_walked(library):
    x = library.tensor(1.0, requires_grad=True)
    total = x
    for _ in range(5000):
        total = total + x
    total.backward()
    assert x.grad.item() == 5001


@pytest.mark.parametrize("library", BOTH, ids=["PyTorch", "small"])
def test_gradients_are_returned_instead_of_added(library):
    x, y = library.tensor(2.0, requires_grad=True), library.tensor(3.0, requires_grad=True)
    of_x, of_y = library.autograd.grad(x * x * y, [x, y])
    assert (of_x.item(), of_y.item(), x.grad) == (12, 4, None)
    with pytest.raises(RuntimeError, match="not have been used"):
        library.autograd.grad(x * x, [y])


ERRORS = {
    "an array for a tensor": lambda t: t.tanh(np.ones(2)),
    "shapes that don't fit": lambda t: t.ones(2) + t.ones(3),
    "rows of another length": lambda t: t.nn.Linear(2, 2)(t.ones(1, 3)),
    "no truth value": lambda t: bool(t.ones(2)),
    "two numbers as one": lambda t: t.ones(2).item(),
    "to NumPy with a gradient": lambda t: t.ones(2, requires_grad=True).numpy(),
    "a list as an array": lambda t: t.from_numpy([1]),
    "no parameters": lambda t: t.optim.SGD([], lr=1),
    "gradients of whole numbers": lambda t: t.tensor([1, 2], requires_grad=True),
    "another size": lambda t: t.ones(2).reshape(3),
    "no such dimension": lambda t: t.ones(2).squeeze(3),
    "a list beside a tensor": lambda t: t.ones(2) - [1, 2],
    "stacked": lambda t: t.stack([t.ones(2), t.ones(3)]),
    "before its parts": lambda t: t.nn.Module().x,
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_pytorchs_word_for_word(name):
    message = []
    for library in BOTH:
        with pytest.raises(Exception) as caught:
            ERRORS[name](library)
        message.append((caught.type, str(caught.value)))
    assert message[0] == message[1]


@pytest.mark.parametrize(
    "ask, name",
    [
        (lambda: small.conv2d, "torch.conv2d"),
        (lambda: small.nn.functional.conv2d, "torch.nn.functional.conv2d"),
        (lambda: small.nn.LSTM, "torch.nn.LSTM"),
        (lambda: small.nn.Conv2d(2, 3, 3), "torch.nn.Conv2d"),
        (lambda: small.nn.init.orthogonal_, "torch.nn.init.orthogonal_"),
        (lambda: small.optim.RMSprop, "torch.optim.RMSprop"),
        (lambda: small.ones(2).svd(), "Tensor.svd"),
    ],
)
def test_what_is_not_there_ends_in_one_sentence_that_names_it(ask, name):
    with pytest.raises(AttributeError) as caught:
        ask()
    assert str(caught.value).startswith(f"The small torch of the browser tab has no {name}: ")


# --- random numbers --------------------------------------------------------------------------------------------------

DRAWS = {
    "rand": lambda t, g: t.rand(3, 5, generator=g),
    "rand in 64 bits": lambda t, g: t.rand(7, generator=g, dtype=t.float64),
    "a few normal": lambda t, g: t.randn(5, generator=g),
    "many normal": lambda t, g: t.randn(4, 11, generator=g),
    "many normal in 64 bits": lambda t, g: t.randn(19, generator=g, dtype=t.float64),
    "normal, into a tensor": lambda t, g: t.zeros(7).normal_(2, 3, generator=g),
    "uniform, into a tensor": lambda t, g: t.zeros(20).uniform_(-2, 3, generator=g),
    "xavier": lambda t, g: t.nn.init.xavier_uniform_(t.zeros(4, 9), generator=g),
    "whole": lambda t, g: t.randint(0, 10, (6,), generator=g),
    "shuffled": lambda t, g: t.randperm(9, generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_a_seed_gives_the_numbers_that_it_gives_in_pytorch(name, seed):
    generators = [library.Generator().manual_seed(seed) for library in BOTH]
    for _ in range(2):  # what one draw leaves behind is there for the next
        theirs, ours = (DRAWS[name](library, generator) for library, generator in zip(BOTH, generators, strict=True))
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-6)


def test_a_layer_is_born_with_pytorchs_numbers_and_a_fork_of_the_generator_is_not_missed():
    born = []
    for library in BOTH:
        before = library.get_rng_state()
        library.manual_seed(3)
        with library.random.fork_rng(devices=[]):
            library.rand(5)
        layer = library.nn.Linear(3, 2)
        born.append([layer.weight.detach().numpy(), layer.bias.detach().numpy(), library.rand(2).numpy()])
        library.set_rng_state(before)
    for theirs, ours in zip(*born, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


# --- networks --------------------------------------------------------------------------------------------------------


def network(library):
    """With a batch norm, a hidden layer and nothing by chance."""
    net = library.nn.Sequential(
        library.nn.Flatten(),
        library.nn.Linear(4, 5),
        library.nn.BatchNorm1d(5),
        library.nn.ReLU(),
        library.nn.Linear(5, 3),
    )
    numbers = np.random.default_rng(0)
    net.load_state_dict({name: library.tensor(numbers.random(tuple(value.shape)).astype(np.float32)) if value.is_floating_point() else value
                         for name, value in net.state_dict().items()})  # fmt: skip
    return net


OPTIMIZERS = {  # a large eps: before a batch norm a bias has no gradient but rounding, of which Adam would make a step
    "SGD": lambda t, p: t.optim.SGD(p, lr=0.1, weight_decay=0.01),
    "SGD with momentum": lambda t, p: t.optim.SGD(p, lr=0.1, momentum=0.9),
    "Adam": lambda t, p: t.optim.Adam(p, lr=0.05, weight_decay=0.01, eps=0.1),
    "AdamW": lambda t, p: t.optim.AdamW(p, lr=0.05, weight_decay=0.1, eps=0.1),
}


def steps(library, name: str) -> list[np.ndarray]:
    """The network's numbers after five steps, the last two by an optimizer that was saved and loaded."""
    net, rng = network(library), np.random.default_rng(1)
    optimizer = OPTIMIZERS[name](library, net.parameters())
    for step in range(5):
        if step == 3:
            saved = optimizer.state_dict()
            optimizer = OPTIMIZERS[name](library, net.parameters())
            optimizer.load_state_dict(saved)
        x, wanted = (library.tensor(rng.normal(size=shape).astype(np.float32)) for shape in ((6, 2, 2), (6, 3)))
        optimizer.zero_grad()
        library.nn.functional.mse_loss(net(x), wanted).backward()
        library.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
    net.eval()
    return [*(value.numpy() for value in net.state_dict().values()), net(library.ones(2, 2, 2)).detach().numpy()]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_network_with_batch_norm_learns_what_it_learns_in_pytorch(name):
    theirs, ours = (steps(library, name) for library in BOTH)
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(b, a, atol=1e-4)


def test_a_network_has_pytorchs_names_and_looks():
    theirs, ours = (network(library) for library in BOTH)
    for ask in (
        lambda net: [name for name, _ in net.named_parameters()],
        lambda net: [name for name, _ in net.named_modules()],
        lambda net: [*net.state_dict()],
        lambda net: [layer.training for layer in net.eval().modules()],
        lambda net: repr(net[1]),
        lambda net: [repr(value) for value in (net[0](net[1].weight.detach()[:1, :1] * 0 + 0.25), net[1].bias.shape)],
    ):
        assert ask(theirs) == ask(ours)
    with pytest.raises(RuntimeError, match="size mismatch for"):
        ours.load_state_dict({**ours.state_dict(), "1.weight": small.ones(2, 2)})
    with pytest.raises(RuntimeError, match="Missing key"):
        ours.load_state_dict({})


def test_a_batch_norm_is_folded_into_its_layer():
    net = network(small).eval()
    x = small.tensor(drawn((6, 4), 0).astype(np.float32))
    fused = small.nn.utils.fusion.fuse_linear_bn_eval(net[1], net[2])
    np.testing.assert_allclose(fused(x).detach().numpy(), net[2](net[1](x)).detach().numpy(), atol=1e-6)


# --- files -----------------------------------------------------------------------------------------------------------

PACKED = {"version": 1, "weights": [0.5, True, None, "a"], "lists": {"one": [1, 2]}}
KINDS = ("float32", "float64", "float16", "int64", "int16", "uint8", "bool")
SAVE = """
import sys, numpy as np, torch
tensors = {kind: torch.tensor(np.arange(6).reshape(2, 3).astype(kind)).T for kind in %r}
torch.save({**%r, "net": torch.nn.Linear(2, 3).state_dict(), **tensors}, sys.argv[1])
"""  # fmt: skip


def test_what_the_small_torch_saves_is_read_by_pytorch_and_the_other_way_round(tmp_path):
    program = SAVE % (KINDS, PACKED)
    for path, python in ((tmp_path / "ours.pt", str(FOLDER)), (tmp_path / "theirs.pt", "")):
        environment = {**os.environ, "PYTHONPATH": python}
        subprocess.run([sys.executable, "-c", program, path], cwd=tmp_path, env=environment, check=True)
    ours, theirs = torch.load(tmp_path / "ours.pt", weights_only=True), small.load(tmp_path / "theirs.pt")
    for read in (ours, theirs, small.load(tmp_path / "ours.pt")):
        assert {name: read[name] for name in PACKED} == PACKED
        assert [*read["net"]] == ["weight", "bias"] and tuple(read["net"]["weight"].shape) == (3, 2)
        for kind in KINDS:
            assert str(read[kind].dtype) == f"torch.{kind}"
            assert read[kind].tolist() == np.arange(6).reshape(2, 3).astype(kind).T.tolist()


def test_a_file_that_would_run_something_is_refused(tmp_path):
    class Bad:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    torch.save({"version": 1, "game": Bad()}, tmp_path / "bad.pt")
    with pytest.raises(KeyError):
        small.load(tmp_path / "bad.pt")
    assert not (tmp_path / "made").exists()


def test_a_tensor_that_claims_more_numbers_than_its_file_has_is_refused():
    file = io.BytesIO()
    torch.save(torch.zeros(1).expand(10**6), file)
    file.seek(0)
    with pytest.raises(ValueError, match="more numbers"):
        small.load(file)


def test_with_the_device_meta_a_network_takes_no_memory():
    with small.device("meta"):
        layer = small.nn.Linear(10**5, 10**5)
    assert layer.weight.shape == (10**5, 10**5) and layer.weight.array.base.nbytes == 4


def test_the_generator_comes_back_to_where_it_was():
    generator = small.Generator().manual_seed(1)
    small.randn(3, generator=generator)
    state = generator.get_state()
    first = small.randn(3, generator=generator).tolist()
    assert small.randn(3, generator=generator.set_state(state)).tolist() == first
    assert pickle.dumps(state.numpy())
