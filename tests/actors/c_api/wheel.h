#pragma once

#include <string>

/// The folder of an installed TensorFlow, for comparison: TROUPE_TENSORFLOW_WHEEL, or where python3 would
/// import it from (which is not done). Empty when there is none.
std::string tensorflow_folder();

/// What a command prints on both streams; its exit status into `status`.
std::string output_of(const std::string& command, int* status);
