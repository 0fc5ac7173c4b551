"""Texts, and bytes that mean something."""

from program import show, tf

t = tf.constant(["Hello big world", "  two  words ", ""])
split, split2 = tf.string_split(t), tf.strings.split(["a,b,,c", "d"], sep=",")
csv = tf.decode_csv(["1,2.5,x", "3,,\"y,z\""], [[0], [7.0], [""]])
shown = [tf.string_join(["a", ["b", "c"]], separator="-"), tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator="+"), tf.reduce_join([["a", "b"], ["c", "d"]]),
         tf.reduce_join([["a", "b"], ["c", "d"]], [0, 1], keep_dims=True), tf.regex_replace(t, "[aeiou]", "_"),
         tf.regex_replace(["abcabc"], "b(c)", r"<\1>", replace_global=False), tf.strings.regex_full_match(["ab", "abb", "c"], "ab+"), tf.substr(t, [1, 2, 0], [3, 2, 0]),
         tf.string_to_number(["1.5", "-2"]), tf.string_to_number(["7"], tf.int64), tf.string_to_hash_bucket_fast(t, 1000), tf.string_to_hash_bucket(t, 1000),
         tf.string_to_hash_bucket_strong(t, 1000, [1, 2]), tf.string_strip(t), tf.strings.lower(t), tf.strings.upper(t), tf.strings.length(t),
         tf.strings.length([u"\u00e4\u00f6"], unit="UTF8_CHAR"), tf.as_string([1.5, 2.25], precision=2), tf.as_string([1, 2], width=4, fill="0"),
         tf.encode_base64(t), tf.decode_base64(tf.encode_base64(t, pad=True)), tf.strings.format("x = {}, y = {}", [tf.constant([1, 2]), 2.5]),
         tf.decode_raw([b"\x01\x00\x02\x00"], tf.int16), tf.decode_raw([b"\x01\x00\x02\x00"], tf.int16, little_endian=False),
         tf.parse_tensor(tf.serialize_tensor([[1.5, 2.5]]), tf.float32), tf.strings.unicode_script([97, 955]), *csv,
         tf.sparse_tensor_to_dense(split, ""), split.dense_shape, tf.sparse_tensor_to_dense(split2, "?"), tf.constant(["a"]) + "b",
         tf.equal(t, "")]
with tf.Session() as sess:
    for tensor in shown:
        show(tensor.dtype.name, sess.run(tensor))
    try:
        sess.run(tf.string_to_number(["x"]))
    except tf.errors.InvalidArgumentError as e:
        show("number", "StringToNumberOp could not correctly convert string: x" in e.message)
try:
    tf.strings.format("{} {}", [1])
except ValueError as e:
    show("format", str(e)[:60])
