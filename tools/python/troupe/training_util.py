"""The global step: the variable that counts the steps of training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import control_flow_ops, dtypes, stacks
from troupe.initializers import zeros_initializer
from troupe.ops import GraphKeys
from troupe.tensor import Tensor
from troupe.variable_scope import get_variable
from troupe.variables import Variable

if TYPE_CHECKING:
    from troupe.graph import Graph
    from troupe.monitored_session import _MonitoredSession
    from troupe.session import BaseSession

_READ_KEY = "global_step_read_op_cache"
_BEFORE_KEY = "global_step_before_run"


def global_step(sess: BaseSession | _MonitoredSession, global_step_tensor: Tensor | Variable) -> int:
    """Its value in a session."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Variable | None:
    """The global step of a graph, or None. TypeError where it is no integer."""
    graph = graph or stacks.get_default_graph()
    known = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(known) == 1:
        found = known[0]
    elif not known:
        try:
            found = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    else:
        return None
    assert_global_step(found)
    return found


def create_global_step(graph: Graph | None = None) -> Variable:
    """Makes it. ValueError where there is one."""
    graph = graph or stacks.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=zeros_initializer(), trainable=False,
                            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph: Graph | None = None) -> Variable:
    graph = graph or stacks.get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Tensor | Variable) -> None:
    """TypeError for what is no integer scalar."""
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')


def step_before_run(graph: Graph | None = None) -> Tensor | Variable | None:
    """What hooks fetch beside what counts the step: the step before it is counted, where the variable itself would be fetched as it is then."""
    graph = graph or stacks.get_default_graph()
    step = get_global_step(graph)
    if not isinstance(step, Variable) or hasattr(step, "handle"):
        return step
    for known in graph.get_collection(_BEFORE_KEY):
        return known
    with graph.as_default(), graph.control_dependencies(None), graph.name_scope(None), graph.name_scope(step.op.name + "/"):
        made = step.value() + 0
        graph.add_to_collection(_BEFORE_KEY, made)
    return made


def get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """A read of the global step that does not change while the graph is finalized; None where there is no global step."""
    graph = graph or stacks.get_default_graph()
    known = graph.get_collection(_READ_KEY)
    if known:
        return known[0]
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default(), graph.name_scope(None), graph.name_scope(step.op.name + "/"):
        value = step.initialized_value() if isinstance(step, Variable) else step
        made = control_flow_ops.identity_of(value + 0)
        graph.add_to_collection(_READ_KEY, made)
    return made
