"""Sessions: steps of a graph, run on this machine."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from troupe import _native, async_run, errors, feeds, protos, stacks
from troupe.device_spec import DeviceAttributes
from troupe.fetches import Fetches, expand_feed_key
from troupe.graph import Graph
from troupe.signatures import Signature

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from contextlib import AbstractContextManager
    from troupe.typing import FeedDict, Message

_NODE = re.compile(r"\[\[(?:Node: )?(?:\{\{node )?([^\} ]*)(?:\}\})?\s*=*")
# Signatures and nests that a session keeps; beyond, all are forgotten.
_MOST_KEPT = 256


def _check_count(values, fed):
    if len(values) != len(fed):
        raise errors.InvalidArgumentError(None, None, f"Expected {len(fed)} feed tensors, but got {len(values)}")


class BaseSession:
    """Runs steps of a graph, which may grow meanwhile. Any number of threads may run steps at once, without the interpreter's lock."""

    def __init__(self, target: str | bytes | None = "", graph: Graph | None = None, config: Message | None = None) -> None:
        if graph is None:
            graph = stacks.get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if isinstance(target, bytes):
            target = target.decode()
        if target is not None and not isinstance(target, str):
            hint = "" if not hasattr(target, "SerializeToString") else '. Did you do "Session(config)" instead of "Session(config=config)"?'
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"{hint}')
        self._graph = graph
        self._target = target or ""
        self._config = config
        self._closed = False
        self._lock = threading.Lock()
        self._signatures: dict[Any, Signature] = {}
        self._nests: dict[Any, Fetches] = {}
        self._callables: list[Any] = []
        config = stacks.session_config if config is None else config
        self._native = _native.Session(graph._native, self._target, protos.serialize(config, "config", "ConfigProto"))

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def graph_def(self) -> Any:
        return self._graph.as_graph_def()

    def __repr__(self):
        where = f" at {self._target!r}" if self._target else ""
        return f"<tf.{type(self).__name__}{where} of {self._graph!r}{', closed' if self._closed else ''}>"

    @property
    def sess_str(self) -> bytes:
        return self._target.encode()

    def as_default(self) -> AbstractContextManager[BaseSession]:
        return stacks.sessions.push(self)

    def close(self) -> None:
        """Cancels its steps and refuses all others."""
        if not self._closed:
            self._closed = True
            self._forget()
            self._native.close()

    def _forget(self):
        with self._lock:
            self._signatures.clear()
            self._nests.clear()

    def _check_open(self):
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph._operations:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")

    def _check_alive(self):
        if self._closed:
            raise errors.CancelledError(None, None, "Session has been closed.")

    # Runs.

    def run(self, fetches: Any, feed_dict: FeedDict | None = None, options: Message | None = None, run_metadata: Message | None = None) -> Any:
        """One step: the values of `fetches`, in the same nest, where `feed_dict` says what tensors are. Operations give None. With
        RunOptions; what they ask to be told is put into the RunMetadata."""
        nest, fed = self._nest(fetches), self._read_feeds(feed_dict)
        if options is None and run_metadata is None:
            return self._finish(nest, fed, self._run_signature)
        options = protos.serialize(options, "options", "RunOptions")
        self._check_metadata(run_metadata)
        return self._finish(nest, fed, lambda s, v: self._run_with_options(s, v, options, run_metadata))

    def _nest(self, fetches):
        if self._closed or not self._graph._operations:
            self._check_open()
        key = tuple(fetches) if type(fetches) is list else fetches
        if type(key) is tuple:
            key = (type(fetches), key)
        try:
            nest = self._nests.get(key)
        except TypeError:
            return Fetches(self._graph, fetches)
        if nest is None:
            nest = Fetches(self._graph, fetches)
            self._keep(self._nests, key, nest)
        else:
            nest.check_again(self._graph)
        return nest

    def _keep(self, where, key, value):
        with self._lock:
            if len(where) >= _MOST_KEPT:
                where.clear()
            where[key] = value

    def _read_feeds(self, feed_dict):
        if not feed_dict:
            return {}
        if not isinstance(feed_dict, Mapping):
            raise TypeError("FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of "
                            f"'{type(feed_dict).__name__}'.")
        return feeds.read(self._graph, feed_dict)

    def _finish(self, nest, fed, run, feeds_alone=False):
        """Runs what has to run; what is fed and fetched is given back. Feeds alone are a run only where `feeds_alone` says so."""
        if not fed:
            return nest.build(run(self._signature((), nest), ()) if nest.tensors or nest.targets else [], self)
        signature = self._signature(tuple(fed), nest)
        needed = signature.has_work or feeds_alone
        computed = iter(run(signature, list(fed.values())) if needed else ())
        return nest.build([fed[t] if t in fed else next(computed) for t in nest.tensors], self)

    def _signature(self, fed, nest):
        found = nest.signatures.get(fed)
        if found is None:
            # Another nest may have the same.
            key = (fed, nest.key)
            found = self._signatures.get(key)
            if found is None:
                tensors = [t for t in nest.tensors if t not in fed]
                found = Signature(fed, tensors, nest.targets).look_for_updates(fed, tensors, nest.targets)
                self._keep(self._signatures, key, found)
            self._keep(nest.signatures, fed, found)
        return found

    def _run_signature(self, signature, values):
        try:
            compiled = signature.callable or self._compiled(signature)
            if compiled is not None:
                self._native.extend()
                fetched = compiled.run(values)
            else:
                fetched = self._native.run(signature.native, values, b"", False)[0]
                signature.has_run = True
        except errors.OpError as e:
            raise self._explained(e) from None
        return fetched if signature.reads is None else signature.after_step(fetched, self._read_variables)

    def _read_variables(self, signature):
        return self._run_signature(signature, ())

    def _compiled(self, signature):
        """What runs it faster; None before it has run."""
        if signature.callable is None and signature.has_run:
            signature.callable = self._native.make_callable(signature.native, b"")
        return signature.callable

    def _run_with_options(self, signature, values, options, run_metadata):
        try:
            fetched, metadata = self._native.run(signature.native, values, options, run_metadata is not None)
        except errors.OpError as e:
            raise self._explained(e) from None
        if run_metadata is not None:
            run_metadata.ParseFromString(metadata)
        return fetched if signature.reads is None else signature.after_step(fetched, self._read_variables)

    @staticmethod
    def _check_metadata(run_metadata):
        if run_metadata is not None and not hasattr(run_metadata, "ParseFromString"):
            raise TypeError(f"run_metadata must be a RunMetadata, not {type(run_metadata).__name__}")

    def _explained(self, error):
        """The error with the operation that it names."""
        if self._closed and error.message == "Session has been closed.":
            return RuntimeError("Attempted to use a closed Session.")
        found = _NODE.search(error.message)
        op = self._graph._by_name.get(found.group(1)) if found else None
        return type(error)(None if op is None else op.node_def, op, error.message)

    def run_async(self, fetches: Any, feed_dict: FeedDict | None = None, options: Message | None = None,
                  run_metadata: Message | None = None) -> Awaitable[Any]:
        """The same without waiting: an awaitable in an event loop, whose cancellation cancels the step; elsewhere a future. Both have the number
        of the step, `step_id`, while it runs."""
        nest, fed = self._nest(fetches), self._read_feeds(feed_dict)
        options = protos.serialize(options, "options", "RunOptions")
        self._check_metadata(run_metadata)
        return async_run.begin(self, nest, fed, options, run_metadata)

    def make_callable(self, fetches: Any, feed_list: Sequence[Any] | None = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs a step, faster than `run`; with accept_options also of options and
        run_metadata."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")
        self._check_alive()
        nest = Fetches(self._graph, fetches)
        fed = [feeds.tensor_of(self._graph, t) for key in feed_list or () for t in expand_feed_key(key)]
        if accept_options or any(t in nest.tensors for t in fed) or len(fed) != len(feed_list or ()):
            return self._slow_callable(fetches, feed_list or ())
        signature = Signature(fed, nest.tensors, nest.targets).look_for_updates(fed, nest.tensors, nest.targets)
        try:
            compiled = self._native.make_callable(signature.native, b"")
        except errors.OpError as e:
            raise self._explained(e) from None
        return self._fast_callable(nest, fed, compiled, signature)

    def _slow_callable(self, fetches, feed_list):
        def run(*values, **kwargs):
            _check_count(values, feed_list)
            return self.run(fetches, dict(zip(feed_list, values)), **kwargs)

        return run

    def _fast_callable(self, nest, fed, compiled, signature):
        build, single = nest.build, nest.single and not nest.handles

        def run(*values):
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session.")
            _check_count(values, fed)
            values = [feeds.array_of(t, v, t.name) for t, v in zip(fed, values)]
            try:
                fetched = compiled.run(values)
            except errors.OpError as e:
                raise self._explained(e) from None
            if signature.reads is not None:
                fetched = signature.after_step(fetched, self._read_variables)
            return fetched[0] if single else build(fetched, self)

        return run

    def _make_callable_from_options(self, callable_options):
        """A function of the feeds that CallableOptions name, in their order, that gives a list; with run_metadata it is told there what
        happened."""
        self._check_open()
        options = protos.CallableOptions.FromString(protos.serialize(callable_options, "callable_options", "CallableOptions"))
        fed = [feeds.tensor_of(self._graph, name) for name in options.feed]
        try:
            compiled = self._native.make_callable_from_options(
                options.SerializeToString(), [t.dtype.base_dtype.as_datatype_enum for t in fed])
        except errors.OpError as e:
            raise self._explained(e) from None

        def run(*values, run_metadata=None):
            if self._closed:
                raise RuntimeError("Attempted to use a closed Session.")
            _check_count(values, fed)
            values = [feeds.array_of(t, v, t.name) for t, v in zip(fed, values)]
            try:
                if run_metadata is None:
                    return compiled.run(values)
                fetched, metadata = compiled.run_with_metadata(values)
            except errors.OpError as e:
                raise self._explained(e) from None
            run_metadata.ParseFromString(metadata)
            return fetched

        return run

    # Partial runs.

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Begins a step whose feeds come, and whose fetches are taken, in several turns. Its handle."""
        self._check_open()
        nest = Fetches(self._graph, fetches)
        fed = [self._feed_of(t) for key in feeds or () for t in expand_feed_key(key)]
        try:
            return self._native.partial_run_setup(Signature(fed, nest.tensors, nest.targets).native)
        except errors.OpError as e:
            raise self._explained(e) from None

    def _feed_of(self, key):
        try:
            return self._graph.as_graph_element(key, allow_operation=False)
        except Exception as e:
            e.args = (f"Cannot interpret argument `feed` key as Tensor: {e.args[0] if e.args else e}",)
            raise

    def partial_run(self, handle: str | bytes, fetches: Any, feed_dict: FeedDict | None = None) -> Any:
        """One turn of it. InvalidArgumentError for something that is no handle."""
        if not isinstance(handle, (str, bytes)):
            raise errors.InvalidArgumentError(None, None, f"Must run 'setup' before performing partial runs! {handle!r} is not its handle")
        nest = self._nest(fetches)
        if nest.targets:
            raise RuntimeError(f"partial_run() requires empty `target_list`. Received: target_list={nest.targets} (non-empty)")
        return self._finish(nest, self._read_feeds(feed_dict), lambda s, v: self._partial_turn(handle, s, v),
                            feeds_alone=True)

    def _partial_turn(self, handle, signature, values):
        try:
            return self._native.partial_run(handle, signature.native, values)
        except errors.OpError as e:
            raise self._explained(e) from None

    # What else it knows.

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that it may use."""
        self._check_alive()
        return [DeviceAttributes(*d) for d in self._native.list_devices()]

    def running_steps(self) -> list[tuple[Any, ...]]:
        """What its steps are doing: (step id, seconds, fetches, targets, first nodes that are not done) of each."""
        return self._native.inspect()

    def cancel(self, reason: str = "") -> int:
        """Cancels all its steps; how many."""
        return self._native.cancel(reason)


class Session(BaseSession):
    """A session that may be a `with` block: then it and its graph are the defaults, and it is closed at the end."""

    def __init__(self, target: str | bytes | None = "", graph: Graph | None = None, config: Message | None = None) -> None:
        super().__init__(target, graph, config)
        self._blocks: Any = None

    def __enter__(self) -> Session:
        if self._blocks is not None:
            raise RuntimeError("Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a session "
                               "multiple times.")
        self._blocks = (self._graph.as_default(), self.as_default())
        self._blocks[0].__enter__()
        self._blocks[1].__enter__()
        return self

    def __exit__(self, exc_type, exc_value, exc_tb):
        blocks, self._blocks = self._blocks, None
        try:
            blocks[1].__exit__(exc_type, exc_value, exc_tb)
        finally:
            blocks[0].__exit__(exc_type, exc_value, exc_tb)
            self.close()

    @staticmethod
    def reset(target: str | None, containers: Sequence[str] | None = None, config: Message | None = None) -> None:
        """Drops what the sessions of `target` keep in these containers, and closes them."""
        _native.reset(target or "", protos.serialize(config, "config", "ConfigProto"), [c for c in containers or ()])


class InteractiveSession(BaseSession):
    """A session that is the default from its making to its close: for a prompt."""

    _open = 0

    def __init__(self, target: str | bytes | None = "", graph: Graph | None = None, config: Message | None = None) -> None:
        config = protos.ConfigProto.FromString(protos.serialize(config, "config", "ConfigProto"))
        # So that what was typed wrong does not matter until it is run.
        config.graph_options.place_pruned_graph = True
        super().__init__(target, graph, config)
        if InteractiveSession._open > 0:
            warnings.warn("An interactive session is already active. This can cause out-of-memory errors or some other unexpected errors "
                          "(due to the unpredictable timing of garbage collection) in some cases. You must explicitly call "
                          "`InteractiveSession.close()` to release resources held by the other session(s). Please use `tf.Session()` "
                          "if you intend to productionize.")
        InteractiveSession._open += 1
        self._explicit_graph = graph
        self._session_block = stacks.sessions.push(self, nested=False)
        self._session_block.__enter__()
        self._graph_block = stacks.graphs.push(graph, nested=False) if graph is not None else None
        if self._graph_block is not None:
            self._graph_block.__enter__()

    def close(self) -> None:
        if self._closed:
            return
        super().close()
        InteractiveSession._open -= 1
        self._session_block.__exit__(None, None, None)
        if self._graph_block is not None:
            self._graph_block.__exit__(None, None, None)
