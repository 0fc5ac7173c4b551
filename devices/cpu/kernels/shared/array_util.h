#pragma once

// What nearly every kernel of arrays wants: numbers of integer tensors, and copies of elements.
#include "devices/common/array_values.h"
#include "devices/cpu/loops/copy.h"
