#pragma once

#include <vector>

#include "proto/summary.pb.h"

namespace troupe {

/// Counts finite numbers in buckets that grow by a tenth each. A value type.
class RunningHistogram {
 public:
  RunningHistogram();
  void add(double value);
  void fill(tensorflow::HistogramProto* histogram) const;

 private:
  std::vector<double> counts_;
  double least_, most_;
  double n_ = 0, sum_ = 0, squares_ = 0;
};

}  // namespace troupe
