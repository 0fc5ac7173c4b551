"""A hook that writes down what steps did and when."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from troupe import protos
from troupe.event_writer import FileWriterCache
from troupe.hooks import SecondOrStepTimer
from troupe.session_run_hook import SessionRunArgs, SessionRunHook
from troupe.timeline import Timeline
from troupe.training_util import step_before_run

if TYPE_CHECKING:
    from troupe.session_run_hook import SessionRunContext, SessionRunValues


class ProfilerHook(SessionRunHook):
    """Writes `timeline-<global step>.json` into a folder, for https://ui.perfetto.dev, and the step's RunMetadata into the event file there: every `save_steps` steps
    or `save_secs` seconds, but not of the first run. RuntimeError without a global step."""

    def __init__(self, save_steps: int | None = None, save_secs: float | None = None, output_dir: str = "", show_dataflow: bool = True,
                 show_memory: bool = False) -> None:
        self._folder, self._dataflow, self._memory = output_dir, show_dataflow, show_memory
        self._writer = FileWriterCache.get(output_dir)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        self._next_step, self._step = None, step_before_run()
        if self._step is None:
            raise RuntimeError("Global step should be created to use ProfilerHook.")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._now = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE) if self._now else None
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        before = run_values.results["global_step"]
        if self._next_step is None:
            # Steps are counted from the first run.
            self._timer.update_last_triggered_step(before)
        step = before + 1
        if self._now:
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    def _save(self, step, metadata):
        text = Timeline(metadata.step_stats).generate_chrome_trace_format(show_dataflow=self._dataflow, show_memory=self._memory)
        with open(os.path.join(self._folder, f"timeline-{step}.json"), "w") as file:
            file.write(text)
        self._writer.add_run_metadata(metadata, f"step_{step}")
