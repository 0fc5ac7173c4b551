"""Tables."""

import numpy as np
import pytest

import troupe as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_keys_have_values_or_the_default():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1)
    found = table.lookup(tf.constant([["b", "x"]]))
    assert table.name == "hash_table" and found.name == "hash_table_Lookup/LookupTableFindV2:0"
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
            session.run(found)
        session.run(tf.tables_initializer())
        np.testing.assert_array_equal(session.run(found), [[2, -1]])
        assert session.run(table.size()) == 2
        keys, values = session.run(table.export())
        assert dict(zip(keys.tolist(), values.tolist())) == {b"a": 1, b"b": 2}
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        table.lookup(tf.constant([1]))


def test_lines_of_a_file_are_entries(tmp_path):
    path = tmp_path / "words"
    path.write_text("zero\none\n")
    to_number = tf.lookup.TextFileInitializer(str(path), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                              tf.lookup.TextFileIndex.LINE_NUMBER)
    numbers = tf.lookup.StaticHashTable(to_number, -1)
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        np.testing.assert_array_equal(session.run(numbers.lookup(tf.constant(["one", "two"]))), [1, -1])
    assert [t.op.name for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)] == ["asset_path"]


def test_a_table_that_changes_is_saved(tmp_path):
    table = tf.lookup.MutableHashTable(tf.string, tf.int64, -1)
    found = table.lookup(["a", "b"])
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(table.insert(["a", "b"], [1, 2]))
        path = saver.save(session, str(tmp_path / "model"))
        session.run(table.remove(["b"]))
        np.testing.assert_array_equal(session.run(found), [1, -1])
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(found), [1, 2])
    assert [n for n, _ in tf.train.list_variables(path)] == ["MutableHashTable-keys", "MutableHashTable-values"]


def test_datasets_look_things_up():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [5]), 0)
    iterator = tf.data.Dataset.from_tensor_slices(["a", "c"]).map(table.lookup).make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as session:
        session.run([tf.tables_initializer()])
        session.run(iterator.initializer)
        assert [session.run(following), session.run(following)] == [5, 0]


def test_words_that_a_table_does_not_have_are_hashed_as_it_is_asked():
    lookup, words = tf.contrib.lookup, tf.constant(["b", "x", "y", "z"])
    strong = lookup.StrongHashSpec([1, 2])
    tables = [lookup.index_table_from_tensor(["a", "b"], 100, hasher_spec=spec) for spec in (lookup.FastHashSpec, strong)]
    tables.append(lookup.IdTableWithHashBuckets(None, 100, strong))
    wanted = [tf.string_to_hash_bucket_fast(words, 100), tf.string_to_hash_bucket_strong(words, 100, [1, 2])]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        (fast, mixed, alone), (f, s), n = session.run([[t.lookup(words) for t in tables], wanted, [t.size() for t in tables]])
    assert fast.tolist() == [1, *(f[1:] + 2)] and mixed.tolist() == [1, *(s[1:] + 2)] and alone.tolist() == s.tolist() and n == [102, 102, 100]
    with pytest.raises(ValueError, match="key must have size 2"):
        lookup.StrongHashSpec([1])
    with pytest.raises(TypeError, match="must be of type HasherSpec"):
        lookup.IdTableWithHashBuckets(None, 3, "fasthash")
