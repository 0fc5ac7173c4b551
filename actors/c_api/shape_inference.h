#pragma once

#include "actors/c_api/include/tensorflow/c/ops.h"
#include "graph/ops/shape_context.h"

/// The view of a node that a plug-in's shape function gets; lives during the call.
struct TF_ShapeInferenceContext {
  troupe::ShapeContext* context;
};

/// Values that a shape function computes with; owned by the plug-in.
struct TF_ShapeHandle {
  troupe::PartialShape shape;
};
struct TF_DimensionHandle {
  int64_t size = troupe::PartialShape::kUnknownDim;
};

using TF_ShapeInferenceFunction = void (*)(TF_ShapeInferenceContext*, TF_Status*);
