"""Which TensorFlow the package stands for: programs compare it with what they were written for."""

VERSION = __version__ = "2.21.0"
GIT_VERSION = "v2.21.0"
GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER = 2474, 0, 0
# The compiler that the wheel of that TensorFlow was built by; here the runtime has one of its own.
COMPILER_VERSION = "C++20"
