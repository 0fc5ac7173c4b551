"""Texts: joined, cut, replaced, hashed; and what bytes mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, op_call, stacks, thin
from troupe.composite import SparseTensor
from troupe.conversion import convert_to_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import AxisLike, DTypeLike, TensorLike

thin.define(globals(), """
    decode_base64(input) = DecodeBase64
    decode_compressed(bytes, compression_type="") = DecodeCompressed
    decode_json_example(json_examples) = DecodeJSONExample
    encode_base64(input, pad=False) = EncodeBase64
    length(input, name, unit="BYTE") = StringLength
    lower(input, encoding="") = StringLower
    matching_files(pattern) = MatchingFiles
    parse_tensor(serialized, out_type) = ParseTensor
    read_file(filename) = ReadFile
    serialize_tensor(tensor) = SerializeTensor
    string_strip(input) = StringStrip
    string_to_hash_bucket_fast(input, num_buckets) = StringToHashBucketFast
    string_to_hash_bucket_strong(input, num_buckets, key) = StringToHashBucketStrong
    timestamp() = Timestamp
    unicode_script(input) = UnicodeScript
    unicode_transcode(input, input_encoding, output_encoding, errors="replace", replacement_char=65533, replace_control_characters=False) = UnicodeTranscode
    upper(input, encoding="") = StringUpper
    write_file(filename, contents) = WriteFile
""")


def _scope(name):
    return stacks.get_default_graph().name_scope(name)


def string_join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> Tensor:
    """Texts one after the other, element by element."""
    return op_call.call("StringJoin", name, inputs=list(inputs), separator=separator)


def reduce_join(inputs: TensorLike, axis: AxisLike = None, keep_dims: bool | None = None, separator: str = "", name: str | None = None,
                reduction_indices: AxisLike = None, keepdims: bool | None = None) -> Tensor:
    """The texts of some or all dimensions joined."""
    axis = reduction_indices if axis is None else axis
    keep = bool(keep_dims if keepdims is None else keepdims)
    with _scope(name or "ReduceJoin") as scope:
        inputs = convert_to_tensor(inputs, dtypes.string)
        if axis is None:
            axis = list(range(inputs.shape.rank))[::-1]
        return op_call.call("ReduceJoin", scope, inputs=inputs, reduction_indices=axis, keep_dims=keep, separator=separator)


def regex_replace(input: TensorLike, pattern: TensorLike, rewrite: TensorLike, replace_global: bool = True, name: str | None = None) -> Tensor:
    """Parts that match an RE2 expression replaced; \\\\1 in `rewrite` is the first group."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return op_call.call("StaticRegexReplace", name, input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global)
    return op_call.call("RegexReplace", name, input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global)


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether texts match an RE2 expression as a whole."""
    if isinstance(pattern, (str, bytes)):
        return op_call.call("StaticRegexFullMatch", name, input=input, pattern=pattern)
    return op_call.call("RegexFullMatch", name, input=input, pattern=pattern)


def substr(input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    return op_call.call("Substr", name, input=input, pos=pos, len=len, unit=unit)


def string_to_number(string_tensor: TensorLike | None = None, out_type: DTypeLike = dtypes.float32, name: str | None = None,
                     input: TensorLike | None = None) -> Tensor:
    return op_call.call("StringToNumber", name, string_tensor=input if string_tensor is None else string_tensor, out_type=out_type)


def string_to_hash_bucket(string_tensor: TensorLike | None = None, num_buckets: int | None = None, name: str | None = None,
                          input: TensorLike | None = None) -> Tensor:
    return op_call.call("StringToHashBucket", name, string_tensor=input if string_tensor is None else string_tensor, num_buckets=num_buckets)


def string_split(source: TensorLike, sep: TensorLike | None = None, skip_empty: bool = True, delimiter: TensorLike | None = None,
                 result_type: str = "SparseTensor", name: str | None = None) -> SparseTensor:
    """The words of each text, as a SparseTensor. Each character of `sep` divides, a blank without it."""
    sep = delimiter if sep is None else sep
    with _scope(name or "StringSplit"):
        source = convert_to_tensor(source, dtypes.string)
        indices, values, shape = op_call.call("StringSplit", None, input=source, delimiter=" " if sep is None else sep, skip_empty=skip_empty)
        return _words(indices, values, shape, result_type)


def split(input: TensorLike | None = None, sep: TensorLike | None = None, maxsplit: int = -1, result_type: str = "SparseTensor",
          source: TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """The parts of each text between separators, as a SparseTensor; without one, its words."""
    with _scope(name or "StringSplit"):
        input = convert_to_tensor(source if input is None else input, dtypes.string)
        if input.shape.rank == 0:
            input = array_ops.expand_dims(input, 0)
        indices, values, shape = op_call.call("StringSplitV2", None, input=input, sep="" if sep is None else sep, maxsplit=maxsplit)
        return _words(indices, values, shape, result_type)


def _words(indices, values, shape, result_type):
    if result_type != "SparseTensor":
        raise ValueError(f"result_type must be 'SparseTensor': there are no ragged tensors. Got: {result_type}")
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return SparseTensor(indices, values, shape)


def string_format(template: str, inputs: TensorLike, placeholder: str = "{}", summarize: int = 3, name: str | None = None) -> Tensor:
    """`template` with the tensors where its placeholders are. ValueError for another number of them."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(inputs):
        raise ValueError(f"The template expects {count} tensors, but the inputs only has {len(inputs)}. Please ensure the number of placeholders in "
                         "template matches inputs length.")
    return op_call.call("StringFormat", name, inputs=inputs, template=template, placeholder=placeholder, summarize=summarize)


def decode_raw(input_bytes: TensorLike | None = None, out_type: DTypeLike | None = None, little_endian: bool = True, name: str | None = None,
               bytes: TensorLike | None = None) -> Tensor:
    """Bytes as numbers, in a new last dimension."""
    return op_call.call("DecodeRaw", name, bytes=bytes if input_bytes is None else input_bytes, out_type=out_type, little_endian=little_endian)


def decode_csv(records: TensorLike, record_defaults: Sequence[TensorLike], field_delim: str = ",", use_quote_delim: bool = True,
               name: str | None = None, na_value: str = "", select_cols: Sequence[int] | None = None) -> list[Tensor]:
    """The columns of lines of text, a tensor each, of the dtypes of the defaults; an empty default means that a value is needed."""
    if select_cols is not None and any(b <= a for a, b in zip(select_cols, select_cols[1:])):
        raise ValueError("select_cols is not strictly increasing.")
    if select_cols is not None and select_cols and select_cols[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return op_call.call("DecodeCSV", name, records=records, record_defaults=list(record_defaults), field_delim=field_delim,
                        use_quote_delim=use_quote_delim, na_value=na_value, select_cols=select_cols or [])
