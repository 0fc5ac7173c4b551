"""Runs, sessions and graphs without end, and the memory that stays.

    python3 soak.py [--runs 1000000] [--sessions 10000] [--graphs 100000]      with a Python that has the package

Each part prints the resident memory in MiB after each tenth. Exits with 1 when a part's second half grew by more than --limit MiB: the first half
is for what is kept once, such as pools of memory and bytecode."""

import argparse
import gc
import os
import sys

import numpy as np

import troupe as tf

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident():
    """Resident memory of this process in MiB."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * _PAGE / 2**20


def repeat(name, count, step, limit):
    """Calls `step(i)` so many times; whether the second half grew by less than `limit` MiB."""
    marks = []
    for i in range(count):
        step(i)
        if (i + 1) % max(count // 10, 1) == 0:
            marks.append(resident())
            print(f"{name} {i + 1}: {marks[-1]:.1f} MiB", flush=True)
    grown = marks[-1] - marks[len(marks) // 2 - 1] if len(marks) > 1 else 0.0
    print(f"{name}: grew by {grown:.1f} MiB in the second half", flush=True)
    return grown < limit


def runs(count, limit):
    """Runs of one session: plain ones, with other feeds and fetches, callables, faults."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        v = tf.Variable(0.0, use_resource=True)
        fetches = [x * float(k) for k in range(8)]
        add, wrong = v.assign_add(tf.reduce_sum(x)), tf.check_numerics(tf.log(x), "bad")
        loop = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        data = [np.ones(n, np.float32) for n in (1, 10, 5000)]
        with tf.Session() as session:
            session.run(v.initializer)
            call = session.make_callable(add, [x])

            def step(i):
                value = data[i % 3]
                session.run([fetches[i % 8], fetches[i * 3 % 8]], {x: value})
                call(value)
                if i % 16 == 0:
                    session.run(loop)
                if i % 64 == 0:
                    try:
                        session.run(wrong, {x: -value})
                    except tf.errors.InvalidArgumentError:
                        pass

            return repeat("runs", count, step, limit)


def sessions(count, limit):
    """Sessions of one graph, closed and dropped."""
    with tf.Graph().as_default():
        v = tf.Variable(tf.ones([100]))
        total = tf.reduce_sum(v)

        def step(i):
            session = tf.Session()
            session.run(v.initializer)
            session.run(total)
            if i % 2:
                session.close()

        return repeat("sessions", count, step, limit)


def graphs(count, limit):
    """Graphs with variables and derivatives, each tenth run."""

    def step(i):
        with tf.Graph().as_default():
            w = tf.get_variable("w", [3], initializer=tf.ones_initializer())
            train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * w))
            if i % 10 == 0:
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    session.run(train)

    return repeat("graphs", count, step, limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"runs": (runs, 1_000_000), "sessions": (sessions, 10_000), "graphs": (graphs, 100_000)}
    for name, (_, count) in parts.items():
        parser.add_argument(f"--{name}", type=int, default=count, help="how many; 0 leaves the part out")
    parser.add_argument("--limit", type=float, default=16.0, help="MiB")
    options = vars(parser.parse_args())
    good = [function(options[name], options["limit"]) for name, (function, _) in parts.items() if options[name] > 0]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
