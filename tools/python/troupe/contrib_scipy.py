"""tf.contrib.opt's optimizers outside the graph: an interface for them, and SciPy's, which need SciPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from troupe import array_ops, stacks
from troupe.conversion import convert_to_tensor
from troupe.gradients import gradients
from troupe.tf_logging import get_logger
from troupe.variables import trainable_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from troupe.session import BaseSession
    from troupe.tensor import Tensor
    from troupe.typing import FeedDict
    from troupe.variables import Variable

_log = get_logger()


def _flat(tensors):
    """All as one vector of the first one's type."""
    flat = [array_ops.reshape(t, [-1]) for t in tensors]
    return flat[0] if len(flat) == 1 else array_ops.concat(flat, 0)


class ExternalOptimizerInterface:
    """Minimises a loss over variables [flattened to one vector], within bounds {variable: (low, high)}, where equalities are 0 and inequalities not
    negative. A subclass defines `_minimize`. ValueError for variables without floating point or of unknown shape."""

    def __init__(self, loss: Tensor, var_list: Sequence[Variable] | None = None, equalities: Sequence[Tensor] | None = None,
                 inequalities: Sequence[Tensor] | None = None, var_to_bounds: Mapping[Variable, tuple[Any, Any]] | None = None,
                 **optimizer_kwargs: Any) -> None:
        self._loss = loss
        self._equalities, self._inequalities = list(equalities or ()), list(inequalities or ())
        self._vars = list(trainable_variables() if var_list is None else var_list)
        self.optimizer_kwargs = optimizer_kwargs
        for v in self._vars:
            if not v.shape.is_fully_defined():
                raise ValueError(f"Variable {v.name} has shape {v.shape}, expected one that is known")
        self._packed_bounds = None if var_to_bounds is None else self._bounds(var_to_bounds)
        self._update_placeholders = [array_ops.placeholder(v.dtype.base_dtype, v.shape) for v in self._vars]
        self._var_updates = [v.assign(p) for v, p in zip(self._vars, self._update_placeholders)]
        sizes = [int(np.prod(v.shape.as_list(), dtype=int)) for v in self._vars]
        ends = np.cumsum([0, *sizes])
        self._slices = [slice(a, b) for a, b in zip(ends, ends[1:])]
        self._packed_var = _flat([convert_to_tensor(v) for v in self._vars])
        self._packed_grad = self._gradient(loss)
        self._equality_grads = [self._gradient(e) for e in self._equalities]
        self._inequality_grads = [self._gradient(e) for e in self._inequalities]

    def _gradient(self, value):
        found = gradients(value, self._vars)
        return _flat([array_ops.zeros_like(convert_to_tensor(v)) if g is None else convert_to_tensor(g) for g, v in zip(found, self._vars)])

    def _bounds(self, var_to_bounds):
        """[(low, high), ...] of all elements."""
        by_name = {v.name: b for v, b in var_to_bounds.items()}
        made = []
        for v in self._vars:
            shape = v.shape.as_list()
            low, high = by_name.get(v.name, (-np.inf, np.inf))
            spread = lambda b: np.broadcast_to(np.asarray(b, float), shape).ravel()
            made.extend(zip(spread(low), spread(high)))
        return made

    def minimize(self, session: BaseSession | None = None, feed_dict: FeedDict | None = None, fetches: Sequence[Any] | None = None,
                 step_callback: Callable[[np.ndarray], Any] | None = None, loss_callback: Callable[..., Any] | None = None,
                 **run_kwargs: Any) -> None:
        """Sets the variables to what minimises the loss. `loss_callback` gets the values of `fetches` at each evaluation, `step_callback` the
        vector of variables after each step."""
        session = session or stacks.get_default_session()
        if session is None:
            raise ValueError("No default session is registered, and none was given.")
        feed_dict, fetches = dict(feed_dict or {}), list(fetches or ())
        loss_callback = loss_callback or (lambda *_: None)
        step_callback = step_callback or (lambda _: None)

        def evaluate(tensors, more=(), callback=None):
            def function(x):
                found = session.run([*tensors, *more], {**feed_dict, **self._fed(x)}, **run_kwargs)
                if callback is not None:
                    callback(*found[len(tensors):])
                return [np.asarray(f, float) if np.ndim(f) else float(f) for f in found[:len(tensors)]]
            return function

        start = session.run(self._packed_var, feed_dict).astype(float)
        found = self._minimize(initial_val=start, loss_grad_func=evaluate([self._loss, self._packed_grad], fetches, loss_callback),
                               equality_funcs=[self._single(evaluate, e) for e in self._equalities],
                               equality_grad_funcs=[self._single(evaluate, g) for g in self._equality_grads],
                               inequality_funcs=[self._single(evaluate, e) for e in self._inequalities],
                               inequality_grad_funcs=[self._single(evaluate, g) for g in self._inequality_grads],
                               packed_bounds=self._packed_bounds, step_callback=step_callback, optimizer_kwargs=self.optimizer_kwargs)
        values = {p: self._part(found, s, v) for p, s, v in zip(self._update_placeholders, self._slices, self._vars)}
        session.run(self._var_updates, values)

    @staticmethod
    def _single(evaluate, tensor):
        function = evaluate([tensor])
        return lambda x: function(x)[0]

    @staticmethod
    def _part(x, part, variable):
        return np.asarray(x[part], variable.dtype.base_dtype.as_numpy_dtype).reshape(variable.shape.as_list())

    def _fed(self, x):
        """The variables fed, so that a trial changes none."""
        return {v: self._part(x, s, v) for v, s in zip(self._vars, self._slices)}

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method.")


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """By scipy.optimize.minimize: `method` (L-BFGS-B; SLSQP where there are constraints), `options`, and its other arguments."""

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs, inequality_funcs, inequality_grad_funcs, packed_bounds,
                  step_callback, optimizer_kwargs):
        import scipy.optimize

        kwargs = dict(optimizer_kwargs)
        for name in ("jac", "bounds", "constraints", "callback", "fun", "x0", "args"):
            if name in kwargs:
                raise ValueError(f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually")
        constraints = [{"type": kind, "fun": f, "jac": g} for kind, functions, derivatives in (
            ("eq", equality_funcs, equality_grad_funcs), ("ineq", inequality_funcs, inequality_grad_funcs)) for f, g in zip(functions, derivatives)]
        method = kwargs.pop("method", "SLSQP" if constraints else self._DEFAULT_METHOD)
        if constraints:
            kwargs["constraints"] = constraints
        result = scipy.optimize.minimize(loss_grad_func, initial_val, method=method, jac=True, bounds=packed_bounds,
                                         callback=step_callback, **kwargs)
        _log.info("Optimization terminated with:\n  Message: %s\n  Objective function value: %f\n  Number of iterations: %s\n"
                  "  Number of functions evaluations: %s", result.message, result.fun, getattr(result, "nit", "?"), getattr(result, "nfev", "?"))
        return result["x"]
