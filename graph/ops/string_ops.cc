#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AsString", "input:T", "output:string",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "complex64,complex128,bool,variant,string]; precision:int = -1; scientific:bool = False; "
     "shortest:bool = False; width:int = -1; fill:string = ''",
     ""},
    {"DecodeBase64", "input:string", "output:string", "", ""},
    {"EncodeBase64", "input:string", "output:string", "pad:bool = False", ""},
    {"Fingerprint", "data:T, method:string", "fingerprint:uint8", "T:type", ""},
    {"ReduceJoin", "inputs:string, reduction_indices:int32", "output:string",
     "keep_dims:bool = False; separator:string = ''", ""},
    {"RegexFullMatch", "input:string, pattern:string", "output:bool", "", ""},
    {"RegexReplace", "input:string, pattern:string, rewrite:string", "output:string",
     "replace_global:bool = True", ""},
    {"StaticRegexFullMatch", "input:string", "output:bool", "pattern:string", ""},
    {"StaticRegexReplace", "input:string", "output:string",
     "pattern:string; rewrite:string; replace_global:bool = True", ""},
    {"StringJoin", "inputs:N * string", "output:string", "N:int >= 0; separator:string = ''", ""},
    {"StringLength", "input:string", "output:int32", "unit:string in [b'BYTE',b'UTF8_CHAR'] = 'BYTE'", ""},
    {"StringLower", "input:string", "output:string", "encoding:string = ''", ""},
    {"StringNGrams", "data:string, data_splits:Tsplits", "ngrams:string, ngrams_splits:Tsplits",
     "separator:string; ngram_widths:list(int) >= 0; left_pad:string; right_pad:string; pad_width:int; "
     "preserve_short_sequences:bool; Tsplits:index = int64",
     ""},
    {"StringSplit", "input:string, delimiter:string", "indices:int64, values:string, shape:int64",
     "skip_empty:bool = True", ""},
    {"StringSplitV2", "input:string, sep:string", "indices:int64, values:string, shape:int64",
     "maxsplit:int = -1", ""},
    {"StringStrip", "input:string", "output:string", "", ""},
    {"StringToHashBucket", "string_tensor:string", "output:int64", "num_buckets:int >= 1", ""},
    {"StringToHashBucketFast", "input:string", "output:int64", "num_buckets:int >= 1", ""},
    {"StringToHashBucketStrong", "input:string", "output:int64", "num_buckets:int >= 1; key:list(int)", ""},
    {"StringToNumber", "string_tensor:string", "output:out_type",
     "out_type:type in [float,double,int32,int64,uint32,uint64] = float", ""},
    {"StringUpper", "input:string", "output:string", "encoding:string = ''", ""},
    {"Substr", "input:string, pos:T, len:T", "output:string",
     "T:index; unit:string in [b'BYTE',b'UTF8_CHAR'] = 'BYTE'", ""},
    {"UnicodeDecode", "input:string", "row_splits:Tsplits, char_values:int32",
     "input_encoding:string; errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; "
     "replacement_char:int = 65533; replace_control_characters:bool = False; Tsplits:index = int64",
     ""},
    {"UnicodeDecodeWithOffsets", "input:string",
     "row_splits:Tsplits, char_values:int32, char_to_byte_starts:int64",
     "input_encoding:string; errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; "
     "replacement_char:int = 65533; replace_control_characters:bool = False; Tsplits:index = int64",
     ""},
    {"UnicodeEncode", "input_values:int32, input_splits:Tsplits", "output:string",
     "errors:string in [b'ignore',b'replace',b'strict'] = 'replace'; "
     "output_encoding:string in [b'UTF-8',b'UTF-16-BE',b'UTF-32-BE']; replacement_char:int = 65533; "
     "Tsplits:index = int64",
     ""},
    {"UnicodeScript", "input:int32", "output:int32", "", ""},
    {"UnicodeTranscode", "input:string", "output:string",
     "input_encoding:string; output_encoding:string in [b'UTF-8',b'UTF-16-BE',b'UTF-32-BE']; "
     "errors:string in [b'strict',b'replace',b'ignore'] = 'replace'; replacement_char:int = "
     "65533; replace_control_characters:bool = False",
     ""},
    {"UnsortedSegmentJoin", "inputs:string, segment_ids:Tindices, num_segments:Tnumsegments", "output:string",
     "separator:string = ''; Tindices:index; Tnumsegments:index = int32", ""},
};

}  // namespace

absl::Status register_string_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
