#pragma once

#include <memory>
#include <string>

#include "devices/cuda/libraries/conv_library.h"
#include "devices/cuda/libraries/product_library.h"

namespace troupe {

/// The libraries of one GPU, all sessions' together. Belongs to the Gpu. Thread-safe.
class Libraries {
 public:
  Libraries(std::unique_ptr<ProductLibrary> products, std::unique_ptr<ConvLibrary> convolutions)
      : products_(std::move(products)), convolutions_(std::move(convolutions)) {}

  /// Those of `gpu`, which has been started. Loaded by the first call, where `gpu` is one of the machine's driver: cuBLASLt and cuDNN as
  /// the loader finds them, or where TROUPE_CUBLASLT_LIBRARY and TROUPE_CUDNN_LIBRARY say ("none": do without).
  static Libraries& of(Gpu& gpu);
  /// Gives these to a GPU that has none yet: for other drivers than the machine's.
  static void set(Gpu& gpu, std::shared_ptr<Libraries> libraries);

  /// Null: not there, and our own kernels do its work.
  ProductLibrary* products() const { return products_.get(); }
  ConvLibrary* convolutions() const { return convolutions_.get(); }
  /// Why one is not there: "cuDNN: libcudnn.so.9: cannot open shared object file". Empty when all are, or none is wanted.
  const std::string& missing() const { return missing_; }

 private:
  static std::shared_ptr<Libraries> load(Gpu& gpu);

  std::unique_ptr<ProductLibrary> products_;
  std::unique_ptr<ConvLibrary> convolutions_;
  std::string missing_;
};

}  // namespace troupe
