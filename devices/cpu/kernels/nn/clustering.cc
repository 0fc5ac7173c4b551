// Clustering by k-means: nearest centres, and how the first centres are chosen.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Core>

#include "absl/container/flat_hash_set.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/philox.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Points = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Row = Eigen::Map<const Eigen::RowVectorXf>;

Points points_of(const Tensor& t) { return Points(t.flat<float>().data(), t.dim(0), t.dim(1)); }

absl::Status check_scalar(const Tensor& t, const char* name) {
  if (is_scalar(t)) return absl::OkStatus();
  return invalid("Input ", name, " should be a scalar.");
}

absl::Status check_points(const Tensor& t) {
  if (t.rank() != 2) return invalid("Input points should be a matrix.");
  if (t.dim(0) <= 0) return invalid("Expected points.rows() > 0.");
  return absl::OkStatus();
}

/// The `k` smallest distances of a point, the smaller index first among equal ones, to `index` and `distance`.
void nearest(const Eigen::VectorXf& distances, int64_t k, std::vector<int64_t>* order, int64_t* index,
             float* distance) {
  order->resize(static_cast<size_t>(distances.size()));
  std::iota(order->begin(), order->end(), 0);
  auto closer = [&](int64_t a, int64_t b) {
    return distances(a) < distances(b) || (distances(a) == distances(b) && a < b);
  };
  // No order has a place for NaN.
  if (distances.hasNaN()) {
    auto last = std::stable_partition(order->begin(), order->end(),
                                      [&](int64_t i) { return distances(i) == distances(i); });
    std::sort(order->begin(), last, closer);
  } else {
    std::partial_sort(order->begin(), order->begin() + k, order->end(), closer);
  }
  for (int64_t j = 0; j < k; ++j) {
    index[j] = (*order)[static_cast<size_t>(j)];
    distance[j] = distances(index[j]);
  }
}

absl::Status nearest_neighbors(KernelContext& context) {
  const Tensor& points_in = context.input(0);
  const Tensor& centers_in = context.input(1);
  if (points_in.rank() != 2) return invalid("Input points should be a matrix.");
  if (centers_in.rank() != 2) return invalid("Input centers should be a matrix.");
  TROUPE_RETURN_IF_ERROR(check_scalar(context.input(2), "k"));
  TROUPE_RETURN_IF_ERROR(check_points(points_in));
  if (points_in.dim(1) != centers_in.dim(1)) {
    return invalid("Expected point_dimensions == center_dimensions: ", points_in.dim(1), " vs ",
                   centers_in.dim(1), ".");
  }
  const int64_t wanted = context.input(2).value<int64_t>();
  if (wanted < 0) return invalid("Expected k >= 0, got ", wanted, ".");
  const int64_t k = std::min(wanted, centers_in.dim(0));
  const Shape shape{points_in.dim(0), k};
  TROUPE_ASSIGN_OR_RETURN(Tensor * index, context.allocate_output(0, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * distance, context.allocate_output(1, shape));
  if (k == 0) return absl::OkStatus();
  const Points points = points_of(points_in), centers = points_of(centers_in);
  const Eigen::VectorXf half_norms = 0.5f * centers.rowwise().squaredNorm();
  context.parallel().parallel_for(
      points.rows(), centers.size() + centers.rows() * 10, [&](int64_t begin, int64_t end) {
        std::vector<int64_t> order;
        for (int64_t i = begin; i < end; ++i) {
          // |p - c|^2 = |p|^2 + 2 (|c|^2 / 2 - p c): the first term says nothing about which centre is nearest.
          const Eigen::VectorXf parts = half_norms - centers * points.row(i).transpose();
          float* to = distance->flat<float>().data() + i * k;
          nearest(parts, k, &order, index->flat<int64_t>().data() + i * k, to);
          const float norm = points.row(i).squaredNorm();
          for (int64_t j = 0; j < k; ++j) to[j] = 2.0f * to[j] + norm;
        }
      });
  return absl::OkStatus();
}

/// The choice of first centres: each next one is a point drawn by its squared distance from those chosen (Arthur and
/// Vassilvitskii, "k-means++: the advantages of careful seeding", 2007).
class Seeding {
 public:
  Seeding(const Points& points, int64_t seed)
      : points_(points), half_norms_(0.5f * points.rowwise().squaredNorm()),
        generator_(static_cast<uint64_t>(seed), 0), bits_(&generator_),
        distances_(Eigen::VectorXf::Constant(points.rows(), std::numeric_limits<float>::infinity())),
        sums_(points.rows()) {}

  /// The next point: the best of 1 + `retries` drawn ones, that which leaves the smallest sum of distances.
  int64_t next(int64_t retries) {
    if (!chosen_.empty())
      std::partial_sum(distances_.data(), distances_.data() + distances_.size(), sums_.data());
    int64_t best = 0;
    Eigen::VectorXf best_distances;
    float best_sum = std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i <= retries; ++i) {
      const int64_t candidate = draw();
      Eigen::VectorXf after = distances_.cwiseMin(from(candidate));
      const float sum = after.sum();
      if (retries == 0 || sum < best_sum) {
        best_sum = sum;
        best = candidate;
        best_distances.swap(after);
      }
    }
    if (best_distances.size() > 0) distances_.swap(best_distances);
    chosen_.insert(best);
    return best;
  }

 private:
  Eigen::VectorXf from(int64_t point) const {
    return (half_norms_ - points_ * points_.row(point).transpose()).array() + half_norms_(point);
  }

  uint64_t word64() {
    const uint64_t low = bits_();
    return low | uint64_t{bits_()} << 32;
  }
  int64_t below(uint64_t n) {
    if ((n & (n - 1)) == 0) return static_cast<int64_t>(word64() & (n - 1));
    const uint64_t refused = ~uint64_t{0} % n + 1;
    uint64_t value = word64();
    while (value < refused) value = word64();
    return static_cast<int64_t>(value % n);
  }

  int64_t draw() {
    const int64_t count = points_.rows();
    if (chosen_.empty()) return below(static_cast<uint64_t>(count));
    // Distances that are no numbers, or rounding, may hide the points that are left.
    constexpr int kMaxDraws = 10000;
    for (int i = 0; i < kMaxDraws; ++i) {
      const float at = uniform_float(bits_()) * sums_(count - 1);
      const int64_t index = std::upper_bound(sums_.data(), sums_.data() + count, at) - sums_.data();
      if (index >= count) return count - 1;
      if (!chosen_.contains(index)) return index;
    }
    int64_t first = 0;
    while (chosen_.contains(first)) ++first;
    return std::min(first, count - 1);
  }

  const Points& points_;
  const Eigen::VectorXf half_norms_;
  Philox generator_;
  PhiloxStream bits_;
  absl::flat_hash_set<int64_t> chosen_;
  /// Half the squared distance of each point from the nearest one chosen, and the sums up to each.
  Eigen::VectorXf distances_;
  Eigen::VectorXf sums_;
};

absl::Status kmeans_plus_plus(KernelContext& context) {
  const Tensor& points_in = context.input(0);
  if (points_in.rank() != 2) return invalid("Input points should be a matrix.");
  TROUPE_RETURN_IF_ERROR(check_scalar(context.input(1), "num_to_sample"));
  TROUPE_RETURN_IF_ERROR(check_scalar(context.input(2), "seed"));
  TROUPE_RETURN_IF_ERROR(check_scalar(context.input(3), "num_retries_per_sample"));
  TROUPE_RETURN_IF_ERROR(check_points(points_in));
  const int64_t count = context.input(1).value<int64_t>();
  if (count <= 0) return invalid("Expected num_to_sample > 0.");
  if (count > points_in.dim(0)) {
    return invalid("Expected num_to_sample <= points.rows(). ", count, " vs ", points_in.dim(0), ".");
  }
  int64_t retries = context.input(3).value<int64_t>();
  if (retries < 0) retries = 2 + static_cast<int64_t>(std::log(static_cast<double>(count)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{count, points_in.dim(1)}));
  const Points points = points_of(points_in);
  Seeding seeding(points, context.input(2).value<int64_t>());
  for (int64_t i = 0; i < count; ++i) {
    if (context.cancellation().cancelled()) return absl::CancelledError("Seeding was cancelled");
    copy_elements(points_in, seeding.next(retries) * points.cols(), *out, i * points.cols(), points.cols());
  }
  return absl::OkStatus();
}

/// One chain of a Markov walk over the points, which ends at the index that it gives (Bachem et al., "Approximate
/// k-means++ in sublinear time", 2016).
absl::Status kmc2_chain(KernelContext& context) {
  const Tensor& distances_in = context.input(0);
  if (!is_vector(distances_in)) return invalid("Input distances should be a vector.");
  TROUPE_RETURN_IF_ERROR(check_scalar(context.input(1), "seed"));
  if (distances_in.num_elements() == 0) return invalid("Expected distances_tensor.size() > 0.");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  Philox generator(static_cast<uint64_t>(context.input(1).value<int64_t>()), 0);
  PhiloxStream bits(&generator);
  auto distances = distances_in.flat<float>();
  size_t at = 0;
  for (size_t i = 1; i < distances.size(); ++i) {
    if (distances[i] > uniform_float(bits()) * distances[at]) at = i;
  }
  out->flat<int64_t>()[0] = static_cast<int64_t>(at);
  return absl::OkStatus();
}

}  // namespace

void register_nn_clustering(KernelRegistry* r) {
  r->add(KernelDef("NearestNeighbors").fn(nearest_neighbors));
  r->add(KernelDef("KmeansPlusPlusInitialization").fn(kmeans_plus_plus));
  r->add(KernelDef("KMC2ChainInitialization").fn(kmc2_chain));
}

}  // namespace troupe
