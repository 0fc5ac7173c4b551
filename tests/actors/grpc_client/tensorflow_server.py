"""`troupe run --server` at TensorFlow's own server: tensorflow_server.py PROGRAM. Ends with 77 where there is no TensorFlow."""
import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
try:
    import tensorflow.compat.v1 as tf
except ImportError as error:
    print(f"no TensorFlow: {error}")
    sys.exit(77)

PROGRAM = sys.argv[1]


def write_graph(folder):
    """y = x * w, where w is a variable; "broken" fails for what is no number."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        w = tf.Variable([3.0, 4.0], use_resource=True, name="w")
        tf.multiply(x, w, name="y")
        tf.debugging.check_numerics(x, "no number", name="broken")
        tf.global_variables_initializer()
        return tf.io.write_graph(graph.as_graph_def(), folder, "graph.pb", as_text=False)


def run(*arguments):
    """What the program says, or why it failed."""
    return subprocess.run([PROGRAM, "run", *arguments], capture_output=True, text=True, timeout=120)


def expect_well(result, text):
    assert result.returncode == 0, result.stderr
    assert result.stdout == text, result.stdout


def expect_error(result, *phrases):
    assert result.returncode == 1, result.stdout
    for phrase in phrases:
        assert phrase in result.stderr, result.stderr


def main():
    server = tf.distribute.Server.create_local_server()
    with tempfile.TemporaryDirectory() as folder:
        at_server = [write_graph(folder), "--server", server.target]
        x = ["--feed", "x=[1,2]"]
        # The variable is the server's: it stays when the session that made it has gone.
        expect_well(run(*at_server, "--target", "init"), "")
        trace = os.path.join(folder, "trace.json")
        expect_well(run(*at_server, *x, "--fetch", "y:0", "--trace", trace), f"y:0: float [2]\n[3. 8.]\ntimeline -> {trace}\n")
        with open(trace, encoding="utf-8") as file:
            assert any(event.get("name") == "y" for event in json.load(file)["traceEvents"])
        expect_well(run(*at_server, *x, "--fetch", "y", "--before", "init"), "y: float [2]\n[3. 8.]\n")
        expect_error(run(*at_server, "--feed", "x=[nan,1]", "--fetch", "broken"), "INVALID_ARGUMENT", "no number", "{{node broken}}")
        expect_error(run(*at_server, *x, "--fetch", "none"), "NOT_FOUND: FetchOutputs node none:0: not found")
        expect_error(run(at_server[0], *x, "--fetch", "y", "--server", "grpc://localhost:1"), "UNAVAILABLE: grpc://localhost:1 does not answer")


if __name__ == "__main__":
    main()
