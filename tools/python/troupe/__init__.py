"""TensorFlow 1's graphs and sessions on Troupe's runtime: `import troupe as tf`."""

from troupe import errors, protos, raw_ops
from troupe.constant_op import constant
from troupe.dtypes import as_dtype, float32
from troupe.graph import Graph
from troupe.session import InteractiveSession, Session
from troupe.stacks import get_default_graph, get_default_session, reset_default_graph
