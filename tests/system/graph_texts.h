#pragma once

/// Small graphs in text format, for tests of whole programs.
namespace troupe::graph_texts {

/// z = x * 2 + y over floats; xi is an int32 identity.
inline constexpr char kArithmetic[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
  node { name: "double" op: "Mul" input: "x" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "z" op: "AddV2" input: "double" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
  node { name: "xi" op: "Identity" input: "i" attr { key: "T" value { type: DT_INT32 } } }
  versions { producer: 1000 })";

/// A variable v with its initialiser "init" and a reading "r".
inline constexpr char kVariable[] = R"(
  node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "shape" value { shape {} } } }
  node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  node { name: "init" op: "Assign" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "more" op: "AssignAdd" input: "v" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "r" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 1000 })";

/// An endless loop: out is never there.
inline constexpr char kEndless[] = R"(
  node { name: "start" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
  node { name: "enter" op: "Enter" input: "start" attr { key: "T" value { type: DT_INT32 } }
         attr { key: "frame_name" value { s: "loop" } } }
  node { name: "merge" op: "Merge" input: "enter" input: "next" attr { key: "T" value { type: DT_INT32 } }
         attr { key: "N" value { i: 2 } } }
  node { name: "always" op: "Const" input: "^merge" attr { key: "dtype" value { type: DT_BOOL } }
         attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } }
  node { name: "cond" op: "LoopCond" input: "always" }
  node { name: "switch" op: "Switch" input: "merge" input: "cond" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "next" op: "NextIteration" input: "switch:1" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "out" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } }
  versions { producer: 1000 })";

/// a and b wait for each other.
inline constexpr char kCycle[] = R"(
  node { name: "a" op: "Identity" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "b" op: "Identity" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 1000 })";

}  // namespace troupe::graph_texts
