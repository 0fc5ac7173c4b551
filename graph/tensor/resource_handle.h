#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// The element of a resource tensor: names a resource by device, container and name; the ResourceManager of
/// that device looks it up. `anonymous` holds a resource that has no name and lives as long as its handles.
class ResourceHandle {
 public:
  struct DtypeAndShape {
    DataType dtype;
    PartialShape shape;
  };

  std::string device;
  std::string container;
  std::string name;
  uint64_t hash_code = 0;
  std::string maybe_type_name;
  std::vector<DtypeAndShape> dtypes_and_shapes;
  std::shared_ptr<void> anonymous;
};

}  // namespace troupe
