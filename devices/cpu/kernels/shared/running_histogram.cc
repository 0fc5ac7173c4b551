#include "devices/cpu/kernels/shared/running_histogram.h"

#include <algorithm>
#include <limits>

#include "proto/pb.h"

namespace troupe {
namespace {

/// The upper ends of a histogram's buckets: they grow by a tenth each, from 1e-12 to 1e20, on both sides of
/// 0.
const std::vector<double>& bucket_limits() {
  static const auto* limits = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(std::numeric_limits<double>::max());
    auto* all = new std::vector<double>;
    for (auto v = positive.rbegin(); v != positive.rend(); ++v) all->push_back(-*v);
    all->push_back(0);
    all->insert(all->end(), positive.begin(), positive.end());
    return all;
  }();
  return *limits;
}

/// Buckets without values are joined with their like.
void fill_buckets(const std::vector<double>& counts, pb::HistogramProto* histogram) {
  const std::vector<double>& limits = bucket_limits();
  for (size_t i = 0; i < counts.size();) {
    const double count = counts[i++];
    if (count == 0) {
      while (i < counts.size() && counts[i] == 0) ++i;
    }
    histogram->add_bucket_limit(limits[i - 1]);
    histogram->add_bucket(count);
  }
}

}  // namespace

RunningHistogram::RunningHistogram()
    : counts_(bucket_limits().size()), least_(std::numeric_limits<double>::max()), most_(-least_) {}

void RunningHistogram::add(double v) {
  const std::vector<double>& limits = bucket_limits();
  const auto at = static_cast<size_t>(std::upper_bound(limits.begin(), limits.end(), v) - limits.begin());
  counts_[std::min(at, counts_.size() - 1)] += 1;
  least_ = std::min(least_, v);
  most_ = std::max(most_, v);
  n_ += 1;
  sum_ += v;
  squares_ += v * v;
}

void RunningHistogram::fill(pb::HistogramProto* histogram) const {
  histogram->set_min(least_);
  histogram->set_max(most_);
  histogram->set_num(n_);
  histogram->set_sum(sum_);
  histogram->set_sum_squares(squares_);
  fill_buckets(counts_, histogram);
}

}  // namespace troupe
