#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AnonymousHashTable", "", "table_handle:resource", "key_dtype:type; value_dtype:type", "stateful"},
    {"AnonymousMutableDenseHashTable", "empty_key:key_dtype, deleted_key:key_dtype", "table_handle:resource",
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"AnonymousMutableHashTable", "", "table_handle:resource", "key_dtype:type; value_dtype:type",
     "stateful"},
    {"AnonymousMutableHashTableOfTensors", "", "table_handle:resource",
     "key_dtype:type; value_dtype:type; value_shape:shape = []", "stateful"},
    {"HashTable", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"HashTableV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"InitializeTable", "table_handle:Ref(string), keys:Tkey, values:Tval", "", "Tkey:type; Tval:type", ""},
    {"InitializeTableFromTextFile", "table_handle:Ref(string), filename:string", "",
     "key_index:int >= -2; value_index:int >= -2; vocab_size:int >= -1 = -1; delimiter:string "
     "= '\\t'; offset:int = 0",
     ""},
    {"InitializeTableFromTextFileV2", "table_handle:resource, filename:string", "",
     "key_index:int >= -2; value_index:int >= -2; vocab_size:int >= -1 = -1; delimiter:string "
     "= '\\t'; offset:int = 0",
     "stateful"},
    {"InitializeTableV2", "table_handle:resource, keys:Tkey, values:Tval", "", "Tkey:type; Tval:type",
     "stateful"},
    {"LookupTableExport", "table_handle:Ref(string)", "keys:Tkeys, values:Tvalues",
     "Tkeys:type; Tvalues:type", ""},
    {"LookupTableExportV2", "table_handle:resource", "keys:Tkeys, values:Tvalues", "Tkeys:type; Tvalues:type",
     "stateful"},
    {"LookupTableFind", "table_handle:Ref(string), keys:Tin, default_value:Tout", "values:Tout",
     "Tin:type; Tout:type", ""},
    {"LookupTableFindV2", "table_handle:resource, keys:Tin, default_value:Tout", "values:Tout",
     "Tin:type; Tout:type", "stateful"},
    {"LookupTableImport", "table_handle:Ref(string), keys:Tin, values:Tout", "", "Tin:type; Tout:type", ""},
    {"LookupTableImportV2", "table_handle:resource, keys:Tin, values:Tout", "", "Tin:type; Tout:type",
     "stateful"},
    {"LookupTableInsert", "table_handle:Ref(string), keys:Tin, values:Tout", "", "Tin:type; Tout:type", ""},
    {"LookupTableInsertV2", "table_handle:resource, keys:Tin, values:Tout", "", "Tin:type; Tout:type",
     "stateful"},
    {"LookupTableRemoveV2", "table_handle:resource, keys:Tin", "", "Tin:type", "stateful"},
    {"LookupTableSize", "table_handle:Ref(string)", "size:int64", "", ""},
    {"LookupTableSizeV2", "table_handle:resource", "size:int64", "", "stateful"},
    {"MutableDenseHashTable", "empty_key:key_dtype", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"MutableDenseHashTableV2", "empty_key:key_dtype, deleted_key:key_dtype", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []; initial_num_buckets:int = "
     "131072; max_load_factor:float = 0.800000011920929",
     "stateful"},
    {"MutableHashTable", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
    {"MutableHashTableOfTensors", "", "table_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []",
     "stateful"},
    {"MutableHashTableOfTensorsV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type; value_shape:shape = []",
     "stateful"},
    {"MutableHashTableV2", "", "table_handle:resource",
     "container:string = ''; shared_name:string = ''; use_node_name_sharing:bool = False; "
     "key_dtype:type; value_dtype:type",
     "stateful"},
};

}  // namespace

absl::Status register_table_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
