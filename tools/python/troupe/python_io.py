"""Files of records: `tf.python_io`."""

from troupe.record_io import TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator
