"""Orders, branches and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import dtypes, nest, op_call, stacks
from troupe.composite import IndexedSlices, SparseTensor, is_composite, parts_of
from troupe.control_flow_context import CondContext, WhileContext, enter, merge, switch
from troupe.conversion import convert_n_to_tensor, convert_to_tensor
from troupe.tensor import Operation
from troupe.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from troupe.typing import ControlInput, Nest, TensorLike

__all__ = ["no_op", "group", "tuple", "with_dependencies", "cond", "while_loop", "Assert", "identity_of"]
_tuple = tuple


def _graph():
    return stacks.get_default_graph()


def no_op(name: str | None = None) -> Operation:
    return op_call.call("NoOp", name)


def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that waits for all of these."""
    ops = []
    for item in nest.flatten(inputs):
        if item is None:
            continue
        if not hasattr(item, "device") and not is_composite(item):
            raise TypeError("'inputs' should be zero or more (nested) Tensors. Received "
                            f"'{item}' with type '{type(item)}'.")
        ops.append(item if isinstance(item, Operation) else item.op)
    if not ops:
        return no_op(name=name or "group_deps")
    by_device = {}
    for op in ops:
        by_device.setdefault(op.device, []).append(op)
    with _graph().name_scope(name or "group_deps") as scope:
        if len(by_device) == 1:
            return _wait_for(*next(iter(by_device.items())), scope)
        parts = [_wait_for(device, waited, None) for device, waited in sorted(by_device.items())]
        with _graph().control_dependencies(parts):
            return no_op(name=scope)


def _wait_for(device, ops, name):
    with _graph().device(device or None) if device else _graph().control_dependencies([]), _graph().control_dependencies(ops):
        return no_op(name=name)


def identity_of(input: TensorLike | SparseTensor | IndexedSlices, name: str | None = None) -> Any:
    """The same, as an operation of its own."""
    value = input
    if isinstance(value, IndexedSlices):
        return IndexedSlices(identity_of(value.values), value.indices, value.dense_shape)
    if isinstance(value, SparseTensor):
        return SparseTensor(value.indices, identity_of(value.values), value.dense_shape)
    value = convert_to_tensor(value)
    return op_call.call("RefIdentity" if value.dtype._is_ref_dtype else "Identity", name, input=value)


def with_dependencies(dependencies: Sequence[ControlInput], output_tensor: ControlInput, name: str | None = None) -> Any:
    """`output_tensor`, once all of these are done."""
    with _graph().name_scope(name or "control_dependency") as scope, _graph().colocate_with(output_tensor):
        with _graph().control_dependencies(dependencies):
            return identity_of(output_tensor, name=scope)


def tuple(tensors: Sequence[ControlInput | None], name: str | None = None, control_inputs: Sequence[ControlInput] | None = None) -> list[Any]:
    """The tensors, each once all of them are there."""
    with _graph().name_scope(name or "tuple"):
        waited = [t if isinstance(t, Operation) else t.op for t in tensors if t is not None]
        waited += [c if isinstance(c, Operation) else c.op for c in control_inputs or ()]
        if not waited:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*waited)
        return [None if t is None else no_op_after(gate) if isinstance(t, Operation) else with_dependencies([gate], t) for t in tensors]


def no_op_after(gate: ControlInput) -> Operation:
    with _graph().control_dependencies([gate]):
        return no_op()


def Assert(condition: TensorLike, data: Sequence[TensorLike], summarize: int | None = None, name: str | None = None) -> Operation:
    """An operation that fails where `condition` is false, and shows `data`. Texts and int32 are on the host anyway; what else is shown is fetched
    from devices only then."""
    with _graph().name_scope(name or "Assert"):
        def check():
            return op_call.call("Assert", None, condition=condition, data=data, summarize=3 if summarize is None else summarize)

        if all(t.dtype in (dtypes.string, dtypes.int32) for t in convert_n_to_tensor(data)):
            return check()
        condition = convert_to_tensor(condition, name="Condition")
        return cond(condition, no_op, check, name="AssertGuard").op


def _branch_results(function, context):
    """(what the branch gives, its results as tensors inside)."""
    with context:
        original = function()
        if original is None:
            raise ValueError("`true_fn` and `false_fn` arguments to `tf.cond` must have return values.")
        results = []
        for leaf in nest.flatten(original):
            if leaf is None:
                results.append(leaf)
            elif isinstance(leaf, Operation):
                results.append(with_dependencies([leaf], context.pivot))
            elif is_composite(leaf):
                results.extend(context.result(p) for p in parts_of(leaf))
            else:
                results.append(context.result(convert_to_tensor(leaf)))
        return original, results


def cond(pred: TensorLike, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, strict: bool = False,
         name: str | None = None, fn1: Callable[[], Any] | None = None, fn2: Callable[[], Any] | None = None) -> Any:
    """What `true_fn()` or `false_fn()` gives. Only the operations of the branch that is taken run; what they use from outside runs always."""
    true_fn = fn1 if true_fn is None else true_fn
    false_fn = fn2 if false_fn is None else false_fn
    for function, what in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if isinstance(pred, bool):
        raise TypeError("'pred' must not be a Python bool.")
    graph = _graph()
    with graph.name_scope(name or "cond"):
        pred = convert_to_tensor(pred, dtypes.bool_)
        p_false, p_true = op_call.call("Switch", None, data=pred, pred=pred)
        pivot_true = op_call.call("Identity", "switch_t", input=p_true)
        pivot_false = op_call.call("Identity", "switch_f", input=p_false)
        pred = op_call.call("Identity", "pred_id", input=pred)
        for t in (p_true, p_false, pivot_true, pivot_false, pred):
            graph.prevent_fetching(t.op)
        true_original, true_results = _branch_results(true_fn, CondContext(graph, graph.unique_name("cond_text"), pred, pivot_true, 1))
        false_original, false_results = _branch_results(false_fn, CondContext(graph, graph.unique_name("cond_text"), pred, pivot_false, 0))
        if not strict:
            true_original, false_original = _without_list_of_one(true_original), _without_list_of_one(false_original)
        return _unpack(true_original, _merge_branches(true_original, true_results, false_original, false_results))


def _without_list_of_one(value):
    return value[0] if type(value) in (list, _tuple) and len(value) == 1 else value


def _merge_branches(true_original, true_results, false_original, false_results):
    try:
        nest.assert_same_structure(true_original, false_original)
    except TypeError as e:
        raise TypeError(f"Incompatible return types of true_fn and false_fn: {e}") from None
    except ValueError as e:
        raise ValueError(f"Incompatible return values of true_fn and false_fn: {e}") from None
    if len(true_results) != len(false_results):
        raise ValueError("`true_fn` and `false_fn` must return the same number of tensors.")
    merged = []
    for t, f in zip(true_results, false_results):
        if t.dtype.base_dtype is not f.dtype.base_dtype:
            raise ValueError("Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received "
                             f"{t.dtype.name} from 'true_fn' and {f.dtype.name} from 'false_fn'.")
        merged.append(merge([f, t])[0])
    return merged


def _unpack(structure, merged):
    rest = iter(merged)

    def leaf(original):
        if isinstance(original, Operation):
            return next(rest)
        if isinstance(original, SparseTensor):
            return SparseTensor(next(rest), next(rest), next(rest))
        if isinstance(original, IndexedSlices):
            return IndexedSlices(*[next(rest) for _ in parts_of(original)])
        return _restored(original, next(rest))

    return nest.pack_sequence_as(structure, [leaf(o) for o in nest.flatten(structure)])


class _Loop:
    """A loop while it is built."""

    def __init__(self, context):
        self.context = context

    def enter_variables(self, tensors, invariants):
        context = self.context
        with _graph().control_dependencies(None):
            entered = [t if context.outer_context is None else context.outer_context.add_value(t) for t in tensors]
            entered = [enter(t, context.name, False, context._parallel_iterations, use_input_shape=invariants is None) for t in entered]
        for i, t in enumerate(entered):
            _graph().prevent_feeding(t)
            context._own_entrance(t.op)
            if invariants is not None:
                t.set_shape(invariants[i])
            if context.outer_context is not None and t.op.inputs[0].op.type == "Enter" and t.op.inputs[0].op.get_attr("is_constant"):
                t.op._add_control_input(context.outer_context.pivot_operation())
        return entered

    def build(self, condition, body, structure, entered):
        context = self.context
        merged = [merge([t, t])[0] for t in entered]
        context.pivot_for_pred = merged[0]
        pred = convert_to_tensor(condition(*_packed(structure, merged)))
        pivot = op_call.call("LoopCond", "LoopCond", input=pred)
        switched = [switch(t, pivot) for t in merged]
        inside = [op_call.call("Identity", None, input=s[1]) for s in switched]
        context.pivot_for_body = inside[0]
        results = self._body_results(body, structure, inside)
        for before, after in zip(merged, results):
            following = op_call.call("RefNextIteration" if after.dtype._is_ref_dtype else "NextIteration", None, data=after)
            _check_shape(before, following)
            before.op._update_input(1, following)
        return [op_call.call("RefExit" if s[0].dtype._is_ref_dtype else "Exit", None, data=s[0]) for s in switched]

    def _body_results(self, body, structure, inside):
        taken = _packed(structure, inside)
        given = body(*taken)
        nest.assert_same_structure(list(taken), list(given))
        results = [convert_to_tensor(r) for r in nest.flatten(given)]
        for t, r in zip(inside, results):
            if t.dtype.base_dtype is not r.dtype.base_dtype:
                raise TypeError(f"Input tensor '{t.name}' enters the loop with type {t.dtype.name}, but has type {r.dtype.name} after one iteration.")
        return results


def _check_shape(before, after):
    known, got = before.shape, after.shape
    if known.rank is None:
        return
    wider = got.rank != known.rank or any(k is not None and g != k for k, g in zip(known.as_list(), got.as_list()))
    if wider:
        entered = before.op.inputs[0].op.inputs[0]
        raise ValueError(f"Input tensor '{entered.name}' enters the loop with shape {known}, but has shape {got} after one iteration. To allow the "
                         "shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a less-specific shape.")


def while_loop(cond: Callable[..., TensorLike], body: Callable[..., Any], loop_vars: Nest, shape_invariants: Nest = None,
               parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
               maximum_iterations: TensorLike | None = None, return_same_structure: bool = False) -> Any:
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; the last ones. Iterations may overlap."""
    for function, what in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{what}' must be callable.")
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    graph = _graph()
    with graph.name_scope(name or "while"):
        values = structure = list(loop_vars) if isinstance(loop_vars, (list, _tuple)) else [loop_vars]
        given = _Given(body, values)
        body = given.again
        if maximum_iterations is not None:
            cond, body, structure, shape_invariants = _counted(cond, body, values, shape_invariants, maximum_iterations)
        tensors = [convert_to_tensor(v) for v in nest.flatten(structure)]
        invariants = None if shape_invariants is None else [as_shape(s) for s in _flatten_shapes(shape_invariants)]
        context = WhileContext(graph, graph.unique_name("while_context"), parallel_iterations)
        loop = _Loop(context)
        with context:
            entered = loop.enter_variables(tensors, invariants)
            exits = loop.build(cond, body, structure, entered)
        for t in exits:
            if context.outer_context is not None:
                context.outer_context._inside.add(t)
        return given.packed(exits if maximum_iterations is None else exits[1:], return_same_structure)


class _Given:
    """What the body of a loop gives, in the nest in which the loop gives it, too."""

    def __init__(self, body, values):
        self.body, self.values = body, values
        self.nest, self.alone = None, False

    def again(self, *variables):
        """A list of what it gives."""
        self.nest = self.body(*variables)
        self.alone = not isinstance(self.nest, (list, _tuple)) or len(self.values) == 1 and len(self.nest) != 1
        return [self.nest] if self.alone else list(self.nest)

    def packed(self, exits, same_structure):
        leaves = [_restored(o, t) for o, t in zip(nest.flatten(self.values), exits)]
        if self.alone:
            packed = nest.pack_sequence_as([self.nest], leaves)
        else:
            packed = nest.pack_sequence_as(self.nest, leaves)
        return packed[0] if not same_structure and (self.alone or len(exits) == 1) else packed


def _restored(original, tensor):
    """`tensor`, or the tensor array whose flow it is."""
    return original._with_flow(tensor) if hasattr(original, "_with_flow") else tensor


def _packed(structure, tensors):
    return nest.pack_sequence_as(structure, [_restored(o, t) for o, t in zip(nest.flatten(structure), tensors)])


def _flatten_shapes(shapes):
    """Lists of shapes; a shape is a TensorShape."""
    return [s for part in shapes for s in (_flatten_shapes(part) if isinstance(part, (list, _tuple)) else [part])]


def _counted(cond, body, values, shape_invariants, maximum_iterations):
    """(cond, body, values, shape_invariants) of the loop with a counter beside."""
    most = convert_to_tensor(maximum_iterations, dtypes.int32, name="maximum_iterations")
    counter = convert_to_tensor(0, dtypes.int32, name="iteration_counter")

    def both(i, variables):
        return op_call.call("LogicalAnd", None, x=i < most, y=cond(*variables))

    def step(i, variables):
        return i + 1, body(*variables)

    return both, step, [counter, values], None if shape_invariants is None else [TensorShape([]), list(shape_invariants)]
