"""Runs that are not waited for, and runs that are broken off."""

import asyncio
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import troupe as tf
from troupe import async_run


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def waits_for_ever():
    queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
    return tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float32])[0]


def wait_until_it_runs(session, name):
    """Until a step fetches it, and its nodes have begun."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if any(name in fetches and any("running" in f for f in frontier) for _, _, fetches, _, frontier in session.running_steps()):
            return
        time.sleep(0.001)
    raise AssertionError(f"no step fetches {name}: {session.running_steps()}")


def test_a_run_is_awaited():
    x = tf.placeholder(tf.float32, [])
    y = x * 2.0

    async def both(session):
        first, second = await asyncio.gather(session.run_async(y, {x: 1.0}), session.run_async({"x": x, "y": y}, {x: 2.0}))
        return first, second

    with tf.Session() as session:
        assert asyncio.run(both(session)) == (2.0, {"x": 2.0, "y": 4.0})


def test_many_runs_are_each_told_their_own_end(monkeypatch):
    # In several turns of the loop.
    monkeypatch.setattr(async_run, "_MOST_AT_ONCE", 7)
    x = tf.placeholder(tf.int32, [])
    with tf.control_dependencies([tf.assert_less(x, 90)]):
        doubled = x * 2

    async def all_of(session):
        return await asyncio.gather(*(session.run_async(doubled, {x: i}) for i in range(100)), return_exceptions=True)

    with tf.Session() as session:
        for _ in range(3):
            ends = asyncio.run(all_of(session))
            assert ends[:90] == [2 * i for i in range(90)]
            assert all(isinstance(e, tf.errors.InvalidArgumentError) and e.op is not None for e in ends[90:])


def test_an_awaited_run_is_told_what_happened():
    x = tf.placeholder(tf.float32, [])
    metadata = tf.RunMetadata()

    async def run(session):
        # The second time it is compiled, but for runs with options.
        return [await session.run_async(x + 1.0, {x: 1.0}, tf.RunOptions(trace_level=3), metadata) for _ in range(2)]

    with tf.Session() as session:
        assert asyncio.run(run(session)) == [2.0, 2.0]
    assert len(metadata.step_stats.dev_stats) == 1


def test_a_step_outlives_the_loop_that_waited_for_it():
    element = waits_for_ever()
    with tf.Session() as session:
        async def begin():
            return session.run_async(element)

        loop = asyncio.new_event_loop()
        future = loop.run_until_complete(begin())
        wait_until_it_runs(session, element.name)
        loop.close()
        assert session.cancel() == 1
        while session.running_steps():
            time.sleep(0.001)
        assert not future.done()
        # Another loop hears of its own runs, and those of closed ones are let go.
        for i in range(3):
            assert asyncio.run(asyncio.wait_for(begin_constant(session, i), 10)) == i
        assert sum(loop.is_closed() for loop in async_run._listeners) <= 1


async def begin_constant(session, value):
    return await session.run_async(tf.identity(tf.constant(value)))


def test_what_was_fed_is_let_go_when_the_run_is_over():
    x = tf.placeholder(tf.float32, [None])
    y = x + 1.0

    async def run(session, value):
        future = session.run_async(y, {x: value})
        await future
        return future

    with tf.Session() as session:
        value = np.zeros(100_000, np.float32)
        before = sys.getrefcount(value)
        future = asyncio.run(run(session, value))
        assert future.result().shape == (100_000,)
        # The step may let go of it a little after it has told its end, and whoever holds the interpreter's lock next does so for it.
        until = time.monotonic() + 10
        while sys.getrefcount(value) != before and time.monotonic() < until:
            session.run(y, {x: [1.0]})
        assert sys.getrefcount(value) == before


def test_a_task_that_is_cancelled_cancels_its_step():
    element = waits_for_ever()

    async def run(session):
        task = asyncio.ensure_future(session.run_async(element))
        await asyncio.get_running_loop().run_in_executor(None, wait_until_it_runs, session, element.name)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while session.running_steps():
            await asyncio.sleep(0.001)

    with tf.Session() as session:
        asyncio.run(asyncio.wait_for(run(session), 20))


def test_an_error_of_an_awaited_run_names_its_operation():
    x = tf.placeholder(tf.float32, [], name="unfed")

    async def run(session):
        await session.run_async(x + 1.0)

    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        asyncio.run(run(session))
    assert raised.value.op is x.op


def test_without_a_loop_a_run_is_a_future():
    x = tf.placeholder(tf.float32, [])
    with tf.Session() as session:
        futures = [session.run_async(x + 1.0, {x: float(i)}) for i in range(10)]
        assert [f.result(10) for f in futures] == [i + 1.0 for i in range(10)]
        metadata = tf.RunMetadata()
        session.run_async(x + 1.0, {x: 1.0}, tf.RunOptions(trace_level=3), metadata).result(10)
        assert len(metadata.step_stats.dev_stats) == 1


def test_a_run_tells_its_step_while_it_runs():
    element = waits_for_ever()

    async def awaited(session):
        future = session.run_async(element)
        await asyncio.get_running_loop().run_in_executor(None, wait_until_it_runs, session, element.name)
        assert future.step_id == session.running_steps()[0][0] > 0
        future.cancel()
        assert future.step_id == 0

    with tf.Session() as session:
        asyncio.run(asyncio.wait_for(awaited(session), 20))
        while session.running_steps():
            time.sleep(0.001)
        future = session.run_async(element)
        wait_until_it_runs(session, element.name)
        assert future.step_id == session.running_steps()[0][0] > 0
        assert future.cancel()
        assert future.step_id == 0


def test_a_future_that_is_cancelled_cancels_its_step():
    element = waits_for_ever()
    with tf.Session() as session:
        future = session.run_async(element)
        wait_until_it_runs(session, element.name)
        assert future.cancel()
        with pytest.raises(concurrent.futures.CancelledError):
            future.result(10)
        while session.running_steps():
            time.sleep(0.001)


def test_all_steps_of_a_session_are_cancelled_at_once():
    element = waits_for_ever()
    with tf.Session() as session:
        future = session.run_async(element)
        wait_until_it_runs(session, element.name)
        assert session.cancel("enough") == 1
        with pytest.raises(tf.errors.CancelledError, match="enough"):
            future.result(10)


def test_other_threads_go_on_while_a_step_runs():
    element = waits_for_ever()
    ended = []
    with tf.Session() as session:
        def run():
            try:
                session.run(element)
            except tf.errors.CancelledError:
                ended.append(True)

        thread = threading.Thread(target=run)
        thread.start()
        wait_until_it_runs(session, element.name)
        session.cancel()
        thread.join(10)
    assert ended == [True]


INTERRUPTED = """
import os, signal, threading, time
import troupe as tf
# What runs in the background may have been told to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
queue = tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])
element = tf.raw_ops.QueueDequeueV2(handle=queue, component_types=[tf.float32])[0]
session = tf.Session()
one = tf.constant(1.0)
session.run(one)
run = {{
    "run": lambda: session.run(element),
    "callable": session.make_callable(element),
    "partial run": lambda: session.partial_run(session.partial_run_setup([element], []), element),
}}[{how!r}]

def interrupt():
    while not any("running" in f for step in session.running_steps() for f in step[4]):
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    run()
except KeyboardInterrupt:
    # A turn is told while the rest of its step ends.
    while {how!r} == "partial run" and session.running_steps():
        time.sleep(0.001)
    print("interrupted", session.run(one), len(session.running_steps()))
"""


@pytest.mark.parametrize("how", ["run", "callable", "partial run"])
def test_ctrl_c_ends_the_step_of_the_main_thread(how):
    child = subprocess.run([sys.executable, "-c", INTERRUPTED.format(how=how)], capture_output=True, text=True, timeout=60)
    assert child.stdout == "interrupted 1.0 0\n", child.stderr


def test_a_handler_of_the_programs_own_is_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *unused: heard.append(True))
    try:
        with tf.Session() as session:
            c = tf.constant(1.0)
            session.run(c)
            os.kill(os.getpid(), signal.SIGINT)
            assert session.run(c) == 1.0
        assert heard == [True]
    finally:
        signal.signal(signal.SIGINT, before)
