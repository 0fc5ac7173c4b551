"""What a saved model says of its inputs and outputs, and the names that are fixed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import composite, dtypes, protos

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from troupe.graph import Graph
    from troupe.tensor import Tensor
    from troupe.typing import Message


class tag_constants:
    SERVING, TRAINING, GPU, TPU = "serve", "train", "gpu", "tpu"


class constants:
    ASSETS_DIRECTORY, ASSETS_KEY = "assets", "saved_model_assets"
    MAIN_OP_KEY, LEGACY_INIT_OP_KEY, TRAIN_OP_KEY = "saved_model_main_op", "legacy_init_op", "saved_model_train_op"
    SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = "saved_model.pb", "saved_model.pbtxt"
    SAVED_MODEL_SCHEMA_VERSION = 1
    VARIABLES_DIRECTORY, VARIABLES_FILENAME = "variables", "variables"
    DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB = "debug", "saved_model_debug_info.pb"
    INIT_OP_SIGNATURE_KEY = "__saved_model_init_op"


class signature_constants:
    DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
    CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = "inputs", "tensorflow/serving/classify"
    CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "classes", "scores"
    PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = "inputs", "tensorflow/serving/predict", "outputs"
    REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = "inputs", "tensorflow/serving/regress", "outputs"


def build_tensor_info(tensor: Tensor | composite.SparseTensor) -> Any:
    """The name, type and shape of a tensor, dense or sparse, as a TensorInfo."""
    info = protos.TensorInfo(dtype=tensor.dtype.base_dtype.as_datatype_enum)
    if isinstance(tensor, composite.SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    info.tensor_shape.CopyFrom(tensor.shape.as_proto())
    return info


def get_tensor_from_tensor_info(tensor_info: Message, graph: Graph | None = None,
                                import_scope: str | None = None) -> Tensor | composite.SparseTensor:
    """The tensor of a graph that a TensorInfo names. KeyError for one that is not there."""
    from troupe.stacks import get_default_graph

    graph = graph or get_default_graph()
    element = lambda name: graph.as_graph_element(f"{import_scope}/{name}" if import_scope else name, allow_operation=False)
    if tensor_info.WhichOneof("encoding") == "coo_sparse":
        parts = tensor_info.coo_sparse
        return composite.SparseTensor(*(element(n) for n in (parts.indices_tensor_name, parts.values_tensor_name,
                                                              parts.dense_shape_tensor_name)))
    return element(tensor_info.name)


def build_signature_def(inputs: Mapping[str, Message] | None = None, outputs: Mapping[str, Message] | None = None, method_name: str | None = None,
                        defaults: Mapping[str, Any] | None = None) -> Any:
    """A SignatureDef of {name: TensorInfo}."""
    made = protos.SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    return made


def predict_signature_def(inputs: Mapping[str, Tensor | composite.SparseTensor], outputs: Mapping[str, Tensor | composite.SparseTensor]) -> Any:
    """The signature of {name: tensor} to {name: tensor}. ValueError for none."""
    for what, tensors in (("inputs", inputs), ("outputs", outputs)):
        if not tensors:
            raise ValueError(f"Prediction `{what}` cannot be None or empty.")
    infos = [{key: build_tensor_info(t) for key, t in tensors.items()} for tensors in (inputs, outputs)]
    return build_signature_def(*infos, signature_constants.PREDICT_METHOD_NAME)


def _examples(tensor, what):
    if tensor is None:
        raise ValueError(f"{what} `examples` cannot be None.")
    if tensor.dtype.base_dtype is not dtypes.string:
        raise ValueError(f"{what} input tensors must be of type string. Found tensors with type {tensor.dtype}.")
    return {"inputs": build_tensor_info(tensor)}


def regression_signature_def(examples: Tensor, predictions: Tensor) -> Any:
    """The signature of serialised examples to numbers."""
    inputs = _examples(examples, "Regression")
    if predictions is None or predictions.dtype.base_dtype is not dtypes.float32:
        raise ValueError("Regression output tensors must be of type float.")
    return build_signature_def(inputs, {"outputs": build_tensor_info(predictions)}, signature_constants.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Tensor, classes: Tensor | None, scores: Tensor | None) -> Any:
    """The signature of serialised examples to classes, scores or both."""
    inputs = _examples(examples, "Classification")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    outputs = {key: build_tensor_info(t) for key, t in (("classes", classes), ("scores", scores)) if t is not None}
    return build_signature_def(inputs, outputs, signature_constants.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: Message | None) -> bool:
    """Whether a signature has the inputs and outputs of its method."""
    if signature_def is None:
        return False
    names, method = signature_constants, signature_def.method_name
    inputs, outputs = set(signature_def.inputs), set(signature_def.outputs)
    if method == names.PREDICT_METHOD_NAME:
        return bool(inputs and outputs)
    if method == names.REGRESS_METHOD_NAME:
        return inputs == {names.REGRESS_INPUTS} and outputs == {names.REGRESS_OUTPUTS} and _all_of_type(
            signature_def, dtypes.string, {names.REGRESS_OUTPUTS: dtypes.float32})
    if method == names.CLASSIFY_METHOD_NAME:
        types = {names.CLASSIFY_OUTPUT_CLASSES: dtypes.string, names.CLASSIFY_OUTPUT_SCORES: dtypes.float32}
        return inputs == {names.CLASSIFY_INPUTS} and bool(outputs) and outputs <= set(types) and _all_of_type(signature_def, dtypes.string, types)
    return False


def _all_of_type(signature_def, of_inputs, of_outputs):
    return (all(signature_def.inputs[key].dtype == of_inputs.as_datatype_enum for key in signature_def.inputs) and
            all(signature_def.outputs[key].dtype == of_outputs[key].as_datatype_enum for key in signature_def.outputs))
