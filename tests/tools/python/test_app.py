"""Flags, the beginning of a program, and the log. What is compared with is absl's, which TensorFlow 2.21 takes for it."""

import logging
import subprocess
import sys

import pytest

import troupe as tf

flags = tf.app.flags


@pytest.fixture
def values():
    made = flags.FlagValues()
    given = {"flag_values": made}
    flags.DEFINE_integer("n", 3, "a number", **given)
    flags.DEFINE_list("l", ["a"], "a list", **given)
    flags.DEFINE_bool("b", False, "yes or no", **given)
    flags.DEFINE_multi_string("m", ["x"], "texts", **given)
    flags.DEFINE_multi_integer("mi", None, "numbers", **given)
    flags.DEFINE_string("s", None, "a text", **given)
    flags.DEFINE_float("f", 1, "a number", lower_bound=0, **given)
    flags.DEFINE_enum("e", "sgd", ["sgd", "adam"], "one of them", **given)
    return made


def test_flags_are_read_and_the_rest_is_left(values):
    rest = values(["p", "--n=0x10", "--l", "q, r", "--nob", "--m=1", "-m=2", "rest", "--mi", "3", "--s", "", "--f=2", "--e=adam", "--", "--z"])
    assert rest == ["p", "rest", "--z"]
    assert values.flag_values_dict() == {"n": 16, "l": ["q", "r"], "b": False, "m": ["1", "2"], "mi": [3], "s": "", "f": 2.0, "e": "adam"}
    assert values(["p", "a", "--b", "b"]) == ["p", "a", "b"] and values.b is True
    values.unparse_flags()
    assert values.flag_values_dict() == {"n": 3, "l": ["a"], "b": False, "m": ["x"], "mi": None, "s": None, "f": 1.0, "e": "sgd"}


@pytest.mark.parametrize("argument, error", [
    ("--n=1.5", flags.IllegalFlagValueError), ("--zz", flags.UnrecognizedFlagError), ("--n", flags.Error), ("--b=maybe", flags.IllegalFlagValueError),
    ("--mi=a", flags.IllegalFlagValueError), ("--e=other", flags.IllegalFlagValueError), ("--f=-1", flags.IllegalFlagValueError),
    ("--nos", flags.UnrecognizedFlagError)])
def test_what_is_wrong_is_told(values, argument, error):
    with pytest.raises(error):
        values(["p", argument])


def test_flags_may_be_set_and_must_be_known(values):
    values(["p"], known_only=True)
    values.n = 5
    assert values.n == 5 and "n" in values and "q" not in values
    with pytest.raises(AttributeError):
        values.q
    with pytest.raises(flags.UnrecognizedFlagError):
        values.q = 3
    with pytest.raises(flags.DuplicateFlagError, match="The flag 'n' is defined twice."):
        flags.DEFINE_integer("n", 1, "again", flag_values=values)


def test_required_flags_are_required(values):
    flags.mark_flag_as_required("s", flag_values=values)
    with pytest.raises(flags.IllegalFlagValueError, match="--s=None: Flag must have a value other than None."):
        values(["p"])
    values(["p", "--s=x"])


PROGRAM = """
import troupe as tf
tf.app.flags.DEFINE_integer("steps", 10, "How many.")
FLAGS = tf.app.flags.FLAGS

def main(argv):
    tf.logging.info("not written")
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.logging.info("%d steps", FLAGS.steps)
    print(argv[1:], tf.flags.FLAGS.steps)
    return 3

tf.app.run()
"""


def run(*arguments):
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=60)


def test_a_program_is_run_with_its_flags():
    done = run("--steps=7", "--other", "data")
    assert (done.returncode, done.stdout, done.stderr) == (3, "['--other', 'data'] 7\n", "INFO:troupe:7 steps\n")
    wrong = run("--steps=many")
    assert wrong.returncode == 1 and "FATAL Flags parsing error: flag --steps=many" in wrong.stderr
    helped = run("--help")
    assert helped.returncode == 1 and "--steps: How many.\n    (default: 10)" in helped.stdout


def test_the_log_counts_places_of_the_program(caplog):
    with caplog.at_level(logging.DEBUG, logger="troupe"):
        for i in range(5):
            tf.logging.log_every_n(tf.logging.INFO, "every %d", 2, i)
            tf.logging.log_first_n(tf.logging.WARN, "first %d", 2, i)
            tf.logging.log_if(tf.logging.ERROR, "if %d", i == 3, i)
        tf.logging.debug("d")
        tf.logging.vlog(tf.logging.DEBUG, "v")
    assert [r.getMessage() for r in caplog.records] == ["every 0", "first 0", "first 1", "every 2", "if 3", "every 4", "d", "v"]
    assert {r.filename for r in caplog.records} == {"test_app.py"}
    assert tf.get_logger().name == "troupe"
