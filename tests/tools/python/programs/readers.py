"""Inputs of files by queues: names of files, readers of lines and records, decoding, shuffled batches, threads that end by themselves."""

import os
import tempfile

import numpy as np
from program import show, tf

with tempfile.TemporaryDirectory() as folder:
    tables, records = [], []
    for i in range(3):
        tables.append(os.path.join(folder, f"table{i}.csv"))
        with open(tables[-1], "w") as file:
            file.write("height,width,kind\n" + "".join(f"{i}.{j},{i * 10 + j},k{(i + j) % 2}\n" for j in range(4)))
        records.append(os.path.join(folder, f"images{i}.tfrecords"))
        with tf.python_io.TFRecordWriter(records[-1], tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)) as writer:
            for j in range(3):
                writer.write(np.arange(i + j, i + j + 4, dtype=np.uint8).tobytes())
    with open(os.path.join(folder, "fixed.bin"), "wb") as file:
        file.write(b"HH" + b"".join(bytes([i, 2 * i, 3 * i]) for i in range(5)))

    names = tf.train.string_input_producer(tables, num_epochs=2, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    key, line = reader.read(names)
    height, width, kind = tf.decode_csv(line, record_defaults=[[0.0], [0], [""]])
    example = tf.stack([height, tf.to_float(width)])
    batch, kinds = tf.train.batch([example, kind], batch_size=5, allow_smaller_final_batch=True)
    produced, completed = reader.num_records_produced(), reader.num_work_units_completed()

    images = tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP))
    _, serialized = images.read(tf.train.string_input_producer(tf.train.match_filenames_once(os.path.join(folder, "images*")), shuffle=False, num_epochs=1))
    image = tf.reshape(tf.decode_raw(serialized, tf.uint8), [2, 2])
    shuffled = tf.train.shuffle_batch([tf.cast(image, tf.int32)], batch_size=3, capacity=20, min_after_dequeue=4, num_threads=2, seed=3)

    fixed_names = tf.FIFOQueue(4, [tf.string], [[]])
    fill = [fixed_names.enqueue(os.path.join(folder, "fixed.bin")), fixed_names.close()]
    fixed = tf.FixedLengthRecordReader(record_bytes=3, header_bytes=2)
    fixed_key, fixed_value = fixed.read(fixed_names)
    some = tf.decode_raw(fixed.read_up_to(fixed_names, 3)[1], tf.uint8)
    whole_names = tf.FIFOQueue(9, [tf.string], [[]])
    whole = tf.WholeFileReader().read(whole_names)
    same = tf.IdentityReader()
    same_key, same_value = same.read(whole_names)
    state = tf.placeholder(tf.string, [])
    saved, restored, reset = same.serialize_state(), same.restore_state(state), same.reset()

    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        sizes = []
        try:
            while not coord.should_stop():
                values, texts = sess.run([batch, kinds])
                sizes.append(len(values))
                show("batch", [values, texts])
        except tf.errors.OutOfRangeError as e:
            show("end", [type(e).__name__, "closed and has insufficient elements" in e.message])
        show("sizes", sizes)
        show("read", sess.run([produced, completed]))
        seen = np.concatenate([sess.run(shuffled) for _ in range(3)])
        show("shuffled", sorted(seen.reshape(9, 4).tolist()))
        coord.request_stop()
        coord.join(threads)

        for op in fill:
            sess.run(op)
        key, value = sess.run([fixed_key, fixed_value])
        show("fixed", [os.path.basename(key.decode()), list(value)])
        show("some", sess.run(some))
        show("some", sess.run(some))
        try:
            sess.run(some)
        except tf.errors.OutOfRangeError as e:
            show("none", e.op.type)
        sess.run(whole_names.enqueue_many([[tables[0], "b", "c", "d"]]))
        key, value = sess.run(whole)
        show("whole", [key.decode() == tables[0], value])
        show("same", sess.run([same_key, same_value]))
        kept = sess.run(saved)
        show("same", sess.run(same_value))
        show("counts", sess.run([same.num_records_produced(), same.num_work_units_completed()]))
        sess.run(restored, {state: kept})
        show("restored", sess.run(same.num_records_produced()))
        sess.run(reset)
        show("reset", [sess.run(same.num_records_produced()), sess.run(same_value)])
        try:
            sess.run(reader.serialize_state())
        except tf.errors.UnimplementedError as e:
            show("unimplemented", e.op.type)
show("serializable", [r.supports_serialize for r in (same, reader, fixed, images)])
show("runners", len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)))
