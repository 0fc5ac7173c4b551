#include "actors/c_api/handles.h"

/// The TensorFlow whose behaviour this library has; clients compare it with what they were made for.
extern "C" const char* TF_Version() { return "2.21.0"; }
