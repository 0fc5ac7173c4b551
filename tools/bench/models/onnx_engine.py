#!/usr/bin/env python3
"""Times one workload in ONNX Runtime: a child of models.py.

    onnx_engine.py convert FOLDER WORKLOAD MODEL.onnx             with a Python that has TensorFlow and tf2onnx
    onnx_engine.py time FOLDER WORKLOAD MODEL.onnx [--seconds S] [--threads N]           with one that has onnxruntime

To convert, variables get their first values and become constants. The last line printed is JSON: figures, or "error".
"""
import argparse
import os
import pathlib

from engine_timing import answer, cores, figures, leave, timed
import workload_rows

_OPSET = 17


def _output(name):
    return name if ":" in name else f"{name}:0"


def convert(options, row):
    if row.targets or not row.fetches:
        raise ValueError("it has targets or nothing to fetch: ONNX Runtime runs no training here")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow
    import tf2onnx

    v1 = tensorflow.compat.v1
    v1.disable_eager_execution()
    definition = v1.GraphDef.FromString((options.folder / row.graph).read_bytes())
    with tensorflow.Graph().as_default(), v1.Session() as session:
        tensorflow.import_graph_def(definition, name="")
        if row.init:
            session.run(session.graph.get_operation_by_name(row.init))
        frozen = v1.graph_util.convert_variables_to_constants(session, definition, [_output(name).rpartition(":")[0] for name in row.fetches])
    model, _ = tf2onnx.convert.from_graph_def(frozen, input_names=[_output(feed.name) for feed in row.feeds],
                                              output_names=[_output(name) for name in row.fetches], opset=_OPSET)
    options.model.write_bytes(model.SerializeToString())
    return {}


def measure(options, row):
    import onnxruntime

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads or cores()
    settings.log_severity_level = 3
    if row.raw:
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(options.model), settings, providers=["CPUExecutionProvider"])
    feeds = {_output(feed.name): feed.array() for feed in row.feeds}
    return figures(timed(lambda: session.run(None, feeds), options.seconds), row.units, onnxruntime.__version__)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["convert", "time"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("workload")
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    [row] = [row for row in workload_rows.read(options.folder) if row.name == options.workload]
    return answer(convert if options.what == "convert" else measure, options, row)


if __name__ == "__main__":
    leave(main())
