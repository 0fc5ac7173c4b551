#pragma once

#include <string>

#include "graph/tensor/tensor.h"

namespace troupe {

struct PrintOptions {
  /// Arrays of more elements are shortened to `edge_items` at each end of each dimension.
  int64_t threshold = 1000;
  int edge_items = 3;
  int line_width = 75;
  /// Digits behind the point in arrays; scalars get as many as tell them apart.
  int precision = 8;
};

/// The elements as NumPy's str() shows them: nested brackets, aligned columns, the shortest digits that tell a float from
/// its neighbours, 1.5e+10 where magnitudes differ much. Strings appear as b'...'.
std::string print_array(const Tensor& tensor, const PrintOptions& options = {});

/// "float [2,3]".
std::string describe(const Tensor& tensor);
/// Element `index` (row-major) as in print_array of a scalar.
std::string print_element(const Tensor& tensor, int64_t index);

}  // namespace troupe
