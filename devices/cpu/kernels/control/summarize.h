#pragma once

#include <cstdint>
#include <string>

#include "graph/tensor/tensor.h"

namespace troupe {

/// The first `max_elements` values (all when negative) as Print and Assert show them: "0 1 2...", "[1 2][3 4]".
std::string summarize(const Tensor& tensor, int64_t max_elements);

/// The values as PrintV2 and StringFormat show them: nested brackets, rows on lines, up to `edge_elements` at each
/// end of a dimension (all when negative): "[0 1 ... 8 9]".
std::string summarize_edges(const Tensor& tensor, int64_t edge_elements);

/// Element `i` as text; strings escaped, without quotes.
std::string element_text(const Tensor& tensor, int64_t i);

}  // namespace troupe
