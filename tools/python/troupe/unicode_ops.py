"""Texts as code points and characters, in rows of different lengths; n-grams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import array_ops, dtypes, math_ops, op_call, stacks, thin
from troupe.conversion import convert_to_tensor
from troupe.ragged_tensor import RaggedTensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.tensor import Tensor
    from troupe.typing import TensorLike

thin.define(globals(), """
    unsorted_segment_join(inputs, segment_ids, num_segments, separator="") = UnsortedSegmentJoin
""")


def _rows(input, make):  # noqa: A002
    """What `make` gives for a vector of texts, for texts of any known shape: ragged tensors of one dimension more, tensors for a scalar. ValueError for
    an unknown rank."""
    if isinstance(input, RaggedTensor):
        return _each(make(input.flat_values), input.with_flat_values)
    input = convert_to_tensor(input, dtypes.string, name="input")
    rank = input.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    made = make(array_ops.reshape(input, [-1]))
    if rank == 0:
        return _each(made, lambda rows: rows.values)
    lengths = [array_ops.shape(input, out_type=dtypes.int64)[i] for i in range(1, rank)]

    def nested(rows):
        for length in reversed(lengths):
            rows = RaggedTensor.from_row_splits(rows, _uniform(rows, length), validate=False)
        return rows

    return _each(made, nested)


def _uniform(rows, length):
    """Row splits of rows of one length."""
    return math_ops.range(rows.nrows() // math_ops.maximum(length, 1) + 1) * length


def _each(made, change):
    return tuple(map(change, made)) if isinstance(made, tuple) else change(made)


def _decoded(input, input_encoding, errors, replacement_char, replace_control_characters):  # noqa: A002
    splits, points, starts = op_call.call("UnicodeDecodeWithOffsets", None, input=input, input_encoding=input_encoding, errors=errors,
                                          replacement_char=replacement_char, replace_control_characters=replace_control_characters)
    return tuple(RaggedTensor.from_row_splits(t, splits, validate=False) for t in (points, starts))


def unicode_decode_with_offsets(input: TensorLike | RaggedTensor, input_encoding: str, errors: str = "replace",  # noqa: A002
                                replacement_char: int = 0xFFFD, replace_control_characters: bool = False,
                                name: str | None = None) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """(code points, the bytes at which they begin). `errors`: "strict", "replace" or "ignore"."""
    with stacks.get_default_graph().name_scope(name or "UnicodeDecodeWithOffsets"):
        return _rows(input, lambda flat: _decoded(flat, input_encoding, errors, replacement_char, replace_control_characters))


def unicode_decode(input: TensorLike | RaggedTensor, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,  # noqa: A002
                   replace_control_characters: bool = False, name: str | None = None) -> Tensor | RaggedTensor:
    """The code points of texts."""
    with stacks.get_default_graph().name_scope(name or "UnicodeDecode"):
        return _rows(input, lambda flat: _decoded(flat, input_encoding, errors, replacement_char, replace_control_characters)[0])


def unicode_encode(input: TensorLike | RaggedTensor, output_encoding: str, errors: str = "replace",  # noqa: A002
                   replacement_char: int = 65533, name: str | None = None) -> Tensor | RaggedTensor:
    """The texts of code points: a vector is one text, a ragged or whole matrix a vector of them."""
    with stacks.get_default_graph().name_scope(name or "UnicodeEncode"):
        encode = lambda rows: op_call.call("UnicodeEncode", None, input_values=rows.values, input_splits=rows.row_splits, errors=errors,
                                           replacement_char=replacement_char, output_encoding=output_encoding)
        if isinstance(input, RaggedTensor):
            if input.ragged_rank > 1:
                return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
            return encode(input)
        input = convert_to_tensor(input, dtypes.int32)
        if input.shape.rank == 2:
            return encode(RaggedTensor.from_tensor(input))
        if input.shape.rank != 1:
            raise ValueError("input must be a vector, a matrix or a RaggedTensor of code points")
        count = array_ops.shape(input, out_type=dtypes.int64)
        return array_ops.reshape(encode(RaggedTensor(input, array_ops.concat([array_ops.zeros([1], dtypes.int64), count], 0))), [])


def _characters(points):
    """Each code point as a text in UTF-8."""
    count = array_ops.shape(points.values, out_type=dtypes.int64)[0]
    return points.with_values(op_call.call("UnicodeEncode", None, input_values=points.values, input_splits=math_ops.range(count + 1),
                                           output_encoding="UTF-8"))


def unicode_split_with_offsets(input: TensorLike | RaggedTensor, input_encoding: str, errors: str = "replace",  # noqa: A002
                               replacement_char: int = 0xFFFD,
                               name: str | None = None) -> tuple[Tensor | RaggedTensor, Tensor | RaggedTensor]:
    """(characters as texts in UTF-8, the bytes at which they begin)."""
    with stacks.get_default_graph().name_scope(name or "UnicodeSplitWithOffsets"):
        def split(flat):
            points, starts = _decoded(flat, input_encoding, errors, replacement_char, False)
            return _characters(points), starts

        return _rows(input, split)


def unicode_split(input: TensorLike | RaggedTensor, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,  # noqa: A002
                  name: str | None = None) -> Tensor | RaggedTensor:
    """The characters of texts."""
    with stacks.get_default_graph().name_scope(name or "UnicodeSplit"):
        return _rows(input, lambda flat: _characters(_decoded(flat, input_encoding, errors, replacement_char, False)[0]))


def bytes_split(input: TensorLike | RaggedTensor, name: str | None = None) -> Tensor | RaggedTensor:  # noqa: A002
    """The bytes of texts."""
    def split(flat):
        indices, values, shape = op_call.call("StringSplit", None, input=flat, delimiter="", skip_empty=False)
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)

    with stacks.get_default_graph().name_scope(name or "StringsByteSplit"):
        return _rows(input, split)


def ngrams(data: TensorLike | RaggedTensor, ngram_width: int | Sequence[int], separator: str = " ",
           pad_values: str | Sequence[str] | None = None, padding_width: int | None = None,
           preserve_short_sequences: bool = False, name: str | None = None) -> Tensor | RaggedTensor:
    """Each `ngram_width` neighbours of a row joined, or of several widths, in a row: a RaggedTensor of a ragged one, else a tensor. `pad_values`: what
    stands before and behind rows, one text or two. TypeError and ValueError for widths that are none, and for tensors without rows or of unknown rank."""
    with stacks.get_default_graph().name_scope(name or "StringNGrams"):
        widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if not all(isinstance(w, int) for w in widths):
            raise TypeError(f"ngram_width must be an int or a list of them. Got: {ngram_width}")
        if any(w < 1 for w in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        if padding_width is not None and padding_width < 0:
            raise ValueError(f"padding_width must be non-negative. Got {padding_width}")
        left, right = (pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)) if pad_values is not None else ("", "")
        pad = 0 if pad_values is None else -1 if padding_width is None else padding_width
        ragged = data if isinstance(data, RaggedTensor) else None
        if ragged is None:
            data = convert_to_tensor(data, dtypes.string)
            if data.shape.rank is None:
                raise ValueError("Rank of data must be known.")
            if data.shape.rank == 0:
                raise ValueError("Data must have rank>0")
            # All rows under each other.
            ragged = RaggedTensor.from_tensor(array_ops.reshape(data, [-1, array_ops.shape(data)[-1]]) if data.shape.rank != 2 else data)
        grams, splits = op_call.call("StringNGrams", None, data=ragged.flat_values, data_splits=ragged.nested_row_splits[-1], separator=separator,
                                     ngram_widths=widths, left_pad=left, right_pad=right, pad_width=pad, preserve_short_sequences=preserve_short_sequences)
        grams.set_shape([None])
        made = RaggedTensor.from_row_splits(grams, splits, validate=False)
        if isinstance(data, RaggedTensor):
            return RaggedTensor.from_nested_row_splits(made, data.nested_row_splits[:-1], validate=False)
        if data.shape.rank == 1:
            return made.values  # type: ignore[return-value]
        filled = made.to_tensor(default_value="")
        if data.shape.rank == 2:
            return filled
        return array_ops.reshape(filled, array_ops.concat([array_ops.shape(data)[:-1], array_ops.shape(filled)[1:]], 0))
