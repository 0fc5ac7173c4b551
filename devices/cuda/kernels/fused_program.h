#pragma once

#include <cstdint>

#include "devices/cuda/kernels/broadcast_plan.h"

// A tree of element-wise operations as a kernel's argument. For host and device.

/// X(name, function object of source/functions.h): operations of two numbers.
#define TROUPE_FUSED_PAIRS(X)                \
  X(kAdd, AddOp)                             \
  X(kSub, SubOp)                             \
  X(kMul, MulOp)                             \
  X(kDivide, DivideOp)                       \
  X(kMaximum, MaximumOp)                     \
  X(kMinimum, MinimumOp)                     \
  X(kSquaredDifference, SquaredDifferenceOp) \
  X(kMulNoNan, MulNoNanOp)                   \
  X(kDivNoNan, DivNoNanOp)                   \
  X(kSigmoidGrad, SigmoidGradOp)             \
  X(kTanhGrad, TanhGradOp)                   \
  X(kSqrtGrad, SqrtGradOp)                   \
  X(kRsqrtGrad, RsqrtGradOp)                 \
  X(kReciprocalGrad, ReciprocalGradOp)       \
  X(kReluGrad, ReluGradOp)                   \
  X(kRelu6Grad, Relu6GradOp)                 \
  X(kEluGrad, EluGradOp)                     \
  X(kSeluGrad, SeluGradOp)                   \
  X(kSoftplusGrad, SoftplusGradOp)           \
  X(kSoftsignGrad, SoftsignGradOp)
/// Of one.
#define TROUPE_FUSED_FUNCTIONS(X) \
  X(kAbs, AbsOp)                  \
  X(kNeg, NegOp)                  \
  X(kSign, SignOp)                \
  X(kSquare, SquareOp)            \
  X(kReciprocal, ReciprocalOp)    \
  X(kSqrt, SqrtOp)                \
  X(kRsqrt, RsqrtOp)              \
  X(kExp, ExpOp)                  \
  X(kExpm1, Expm1Op)              \
  X(kLog, LogOp)                  \
  X(kLog1p, Log1pOp)              \
  X(kSigmoid, SigmoidOp)          \
  X(kTanh, TanhOp)                \
  X(kErf, ErfOp)                  \
  X(kFloor, FloorOp)              \
  X(kCeil, CeilOp)                \
  X(kRelu, ReluOp)                \
  X(kRelu6, Relu6Op)              \
  X(kElu, EluOp)                  \
  X(kSelu, SeluOp)                \
  X(kSoftplus, SoftplusOp)        \
  X(kSoftsign, SoftsignOp)

namespace troupe {

enum class FusedOp : uint8_t {
#define TROUPE_FUSED_NAME(name, Op) name,
  TROUPE_FUSED_PAIRS(TROUPE_FUSED_NAME) TROUPE_FUSED_FUNCTIONS(TROUPE_FUSED_NAME)
#undef TROUPE_FUSED_NAME
};

/// Limits of a program; what goes beyond is computed operation by operation. All of a program is some 1.5 KiB, of 4 that a kernel may take.
inline constexpr int kFusedSteps = 24;
inline constexpr int kFusedInputs = 16;
/// Results that wait for later steps at a time.
inline constexpr int kFusedSlots = 8;

/// Where an operand is: an input, the result of the step before, or of an earlier one that was kept in a slot.
inline constexpr uint8_t kFusedLast = 0xff;
inline constexpr uint8_t kFusedSlot = 0x80;
/// No second operand, or a result that no slot keeps.
inline constexpr uint8_t kFusedNone = 0xfe;

struct FusedStep {
  FusedOp op;
  /// An input's number, kFusedSlot + slot, or kFusedLast.
  uint8_t a;
  uint8_t b;
  uint8_t slot;
};

struct FusedProgram {
  int32_t num_steps = 0;
  int32_t num_inputs = 0;
  FusedStep steps[kFusedSteps] = {};
  const void* inputs[kFusedInputs] = {};
  /// How inputs lie in the result.
  BroadcastPlan<kFusedInputs> plan;
};

}  // namespace troupe
