"""What all networks are: parameters, and smaller networks, by name."""

from collections import OrderedDict
from collections.abc import Callable, Iterator

import numpy as np

from ..tensor import Tensor


class Parameter(Tensor):
    """A tensor that a network learns."""

    def __init__(self, data: Tensor, requires_grad: bool = True):
        super().__init__(data.array, requires_grad)

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


KINDS = ("_parameters", "_buffers", "_modules")


class Module:
    """What is assigned to it is kept by its kind: a `Parameter`, a buffer (a tensor that is not learned), a `Module`,
    or anything else.
    """

    def __init__(self):
        self.__dict__.update(_parameters={}, _buffers={}, _modules={}, _hooks={}, _not_saved=set(), training=True)

    def __setattr__(self, name: str, value) -> None:
        if isinstance(value, Parameter | Module) and "_parameters" not in self.__dict__:
            raise AttributeError(f"cannot assign {type(value).__name__.lower()} before Module.__init__() call")
        kind = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if kind is None:
            kind = next((registry for registry in KINDS if name in self.__dict__.get(registry, ())), None)
        for registry_name in KINDS:
            self.__dict__.get(registry_name, {}).pop(name, None) if registry_name != kind else None
        if kind is None:
            object.__setattr__(self, name, value)
        else:
            self.__dict__.pop(name, None)
            self.__dict__[kind][name] = value

    def __getattr__(self, name: str):
        for kind in KINDS:
            if name in self.__dict__.get(kind, ()):
                return self.__dict__[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for kind in (*(self.__dict__[registry] for registry in KINDS), self.__dict__):
            if name in kind:
                del kind[name]
                return
        raise AttributeError(name)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Args: persistent: whether `state_dict` holds it."""
        self._buffers[name] = tensor
        if not persistent:
            self._not_saved.add(name)

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        self._parameters[name] = parameter

    def add_module(self, name: str, module: "Module") -> None:
        self._modules[name] = module

    def register_forward_hook(self, hook: Callable) -> "Handle":
        """`hook(module, arguments, output)` is called after each call."""
        handle = Handle(self._hooks)
        self._hooks[handle] = hook
        return handle

    def forward(self, *arguments, **options):
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *arguments, **options):
        output = self.forward(*arguments, **options)
        for hook in [*self._hooks.values()]:
            replaced = hook(self, arguments, output)
            output = output if replaced is None else replaced
        return output

    # --- its parts

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        return ((name, item) for name, item in self._modules.items() if item is not None)

    def children(self) -> Iterator["Module"]:
        return (item for _, item in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, "Module"]]:
        """Itself, and everything within, each once."""
        seen = set()
        to_visit = [(prefix, self)]
        while to_visit:
            name, module = to_visit.pop(0)
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module
                to_visit[:0] = [(f"{name}.{child}" if name else child, item) for child, item in module.named_children()]

    def modules(self) -> Iterator["Module"]:
        return (item for _, item in self.named_modules())

    def _named(self, kind: str, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        seen = set()
        for name, module in self.named_modules(prefix):
            for own, tensor in getattr(module, kind).items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield f"{name}.{own}" if name else own, tensor

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Parameter]]:
        return self._named("_parameters", prefix)

    def parameters(self) -> Iterator[Parameter]:
        return (item for _, item in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        return self._named("_buffers")

    def buffers(self) -> Iterator[Tensor]:
        return (item for _, item in self.named_buffers())

    # --- its numbers

    def state_dict(self) -> "OrderedDict[str, Tensor]":
        """All numbers that make it what it is, by name; not copies."""
        state = OrderedDict()
        for name, module in self.named_modules():
            saved = {own: buffer for own, buffer in module._buffers.items() if own not in module._not_saved}
            for own, tensor in {**module._parameters, **saved}.items():
                if tensor is not None:
                    state[f"{name}.{own}" if name else own] = tensor.detach()
        return state

    def load_state_dict(self, state, strict: bool = True, assign: bool = False) -> None:
        """The numbers of a `state_dict`, copied.

        Args:
            assign: not copied: they are kept where they are.
        """
        own = self.state_dict()
        problems = [
            f"size mismatch for {name}: copying a param with shape {state[name].shape} from checkpoint, "
            f"the shape in current model is {tensor.shape}."
            for name, tensor in own.items()
            if name in state and state[name].shape != tensor.shape
        ]
        if strict and (lost := [f'"{name}"' for name in own if name not in state]):
            problems.append(f"Missing key(s) in state_dict: {', '.join(lost)}.")
        if strict and (more := [f'"{name}"' for name in state if name not in own]):
            problems.append(f"Unexpected key(s) in state_dict: {', '.join(more)}.")
        if problems:
            raise RuntimeError("\n\t".join([f"Error(s) in loading state_dict for {type(self).__name__}:", *problems]))
        for name, tensor in own.items():
            if name in state and not assign:
                tensor.array[...] = np.asarray(state[name].detach())
            elif name in state:
                *path, last = name.split(".")
                module = self
                for name_of_child in path:
                    module = getattr(module, name_of_child)
                getattr(module, last).array = np.asarray(state[name].detach())

    def apply(self, function: Callable) -> "Module":
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def train(self, mode: bool = True) -> "Module":
        for module in self.modules():
            module.__dict__["training"] = mode
        return self

    def eval(self) -> "Module":
        return self.train(False)

    def requires_grad_(self, wanted: bool = True) -> "Module":
        for parameter in self.parameters():
            parameter.requires_grad = wanted
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            parameter.grad = None

    def to(self, *wanted, **options) -> "Module":
        for tensor in (*self.parameters(), *self.buffers()):
            if tensor.is_floating_point():
                tensor.array = tensor.detach().to(*wanted, **options).array
        return self

    def double(self) -> "Module":
        from ..dtypes import float64

        return self.to(float64)

    def float(self) -> "Module":
        from ..dtypes import float32

        return self.to(float32)

    def cpu(self) -> "Module":
        return self

    # --- what it looks like

    def extra_repr(self) -> str:
        return ""

    def __repr__(self) -> str:
        parts = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self._modules.items()]
        inside = "".join(f"\n  {line}" for line in parts) + "\n" if parts else self.extra_repr()
        return f"{type(self).__name__}({inside})"


class Handle:
    def __init__(self, hooks: dict):
        self.hooks = hooks

    def remove(self) -> None:
        self.hooks.pop(self, None)


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> "ModuleList":
        self._modules[str(len(self._modules))] = module
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, place):
        modules = [*self._modules.values()][place]
        return type(self)(modules) if isinstance(place, slice) else modules


class ModuleDict(Module):
    def __init__(self, modules=()):
        super().__init__()
        self._modules.update(modules)

    def __getitem__(self, name: str) -> Module:
        return self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()
