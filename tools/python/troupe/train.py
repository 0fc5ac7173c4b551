"""Training: `tf.train`. Each part is a module of its own."""

from __future__ import annotations

import importlib
from typing import Any

from troupe import exports, queue_runner  # noqa: F401, the second is a module of its own, too
from troupe.checkpoint_init import init_from_checkpoint
from troupe.checkpoint_reader import NewCheckpointReader, list_variables, load_checkpoint, load_variable
from troupe.checkpoint_state import (
    CheckpointState, checkpoint_exists, generate_checkpoint_state_proto, get_checkpoint_mtimes, get_checkpoint_state, latest_checkpoint,
    remove_checkpoint, update_checkpoint_state)
from troupe.coordinator import Coordinator, LooperThread
from troupe.event_writer import summary_iterator
from troupe.hooks import (
    CheckpointSaverHook, CheckpointSaverListener, FeedFnHook, FinalOpsHook, GlobalStepWaiterHook, LoggingTensorHook,
    NanLossDuringTrainingError, NanTensorHook, SecondOrStepTimer, StepCounterHook, StopAtStepHook, SummarySaverHook)
from troupe.input_pipeline import (
    batch, batch_join, input_producer, limit_epochs, match_filenames_once, maybe_batch, maybe_batch_join, maybe_shuffle_batch,
    maybe_shuffle_batch_join, range_input_producer, shuffle_batch, shuffle_batch_join, slice_input_producer, string_input_producer)
from troupe.learning_rates import (
    cosine_decay, cosine_decay_restarts, exponential_decay, inverse_time_decay, linear_cosine_decay, natural_exp_decay,
    noisy_linear_cosine_decay, piecewise_constant, piecewise_constant_decay, polynomial_decay)
from troupe.meta_graph import export_meta_graph, import_meta_graph, write_graph
from troupe.monitored_session import (
    ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession, Scaffold, SessionCreator, SingularMonitoredSession, WorkerSessionCreator)
from troupe.moving_averages import ExponentialMovingAverage
from troupe.optimizer import Optimizer
from troupe.optimizers import (
    AdadeltaOptimizer, AdagradDAOptimizer, AdagradOptimizer, AdamOptimizer, FtrlOptimizer, GradientDescentOptimizer, MomentumOptimizer,
    ProximalAdagradOptimizer, ProximalGradientDescentOptimizer, RMSPropOptimizer)
from troupe.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from troupe.saver import Saver
from troupe.server_lib import ClusterSpec, Server, replica_device_setter
from troupe.session_manager import SessionManager
from troupe.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from troupe.supervisor import Supervisor, basic_train_loop
from troupe.sync_replicas import SyncReplicasOptimizer
from troupe.training_util import assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step

_MESSAGES = ("BytesList", "ClusterDef", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List", "JobDef",
             "SaverDef", "SequenceExample", "ServerDef")


# Names of modules that are imported when they are first asked for.
_LATER = {"ProfilerHook": "profiler_hook", "VocabInfo": "warm_starting", "checkpoints_iterator": "warm_starting", "warm_start": "warm_starting",
          "Checkpoint": "object_checkpoints", "CheckpointManager": "object_checkpoints", "CheckpointOptions": "object_checkpoints",
          "sdca_fprint": "more_ops", "sdca_optimizer": "more_ops", "sdca_shrink_l1": "more_ops"}


def __getattr__(name: str) -> Any:
    if name == "experimental":
        return exports.Namespace("train.experimental")
    if name in _LATER:
        return getattr(importlib.import_module("troupe." + _LATER[name]), name)
    if name in _MESSAGES:
        from troupe import protos

        return getattr(protos, name)
    raise AttributeError(f"module 'troupe.train' has no attribute {name!r}")


def __dir__() -> list[str]:
    return exports.listed(globals(), [*_MESSAGES, *_LATER, "experimental", "queue_runner"])
