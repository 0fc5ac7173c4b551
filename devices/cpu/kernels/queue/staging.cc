// Staging areas: tuples that one step leaves and another takes, in order (Stage) or by key (MapStage).

#include "devices/cpu/kernels/queue/staging.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/resource_access.h"
#include "devices/kernel_registry.h"

namespace troupe {

absl::Status StagingBounds::check(int64_t bytes) const {
  if (memory_limit_ <= 0 || bytes <= memory_limit_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("Attempted to insert tensors with combined size of '", bytes,
                   "' bytes into Staging Area with a memory limit of '", memory_limit_, "'."));
}

bool StagingBounds::has_room(int64_t elements, int64_t bytes_held, int64_t bytes) const {
  return (capacity_ <= 0 || elements < capacity_) &&
         (memory_limit_ <= 0 || bytes_held + bytes <= memory_limit_);
}

int64_t staged_bytes(const std::vector<Tensor>& tensors) {
  int64_t sum = 0;
  for (const Tensor& t : tensors) sum += static_cast<int64_t>(t.bytes());
  return sum;
}

int64_t staged_bytes(const StagingMap::Parts& parts) {
  int64_t sum = 0;
  for (const auto& part : parts) sum += part.has_value() ? static_cast<int64_t>(part->bytes()) : 0;
  return sum;
}

namespace {

constexpr char kCancelled[] = "Staging operation was cancelled";

/// The area of a node: made by whichever node of that name comes first.
template <class T>
class StagingKernel : public AsyncKernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    capacity_ = attrs.get_or<int64_t>("capacity", 0);
    memory_limit_ = attrs.get_or<int64_t>("memory_limit", 0);
    dtypes_ = attrs.get_or<std::vector<DataType>>("dtypes", {});
    TROUPE_ASSIGN_OR_RETURN(name_, resolve_resource_name(c, UnnamedResource::kNodeName));
    return absl::OkStatus();
  }
  void compute_async(KernelContext& context, Done done) final {
    auto area = context.resources().lookup_or_create<T>(
        name_.container, name_.name, [&]() -> absl::StatusOr<std::shared_ptr<T>> {
          return std::make_shared<T>(capacity_, memory_limit_);
        });
    if (!area.ok()) return done(area.status());
    run(context, *area, std::move(done));
  }

 protected:
  virtual void run(KernelContext& context, const std::shared_ptr<T>& area, Done done) = 0;

  std::vector<DataType> dtypes_;

 private:
  int64_t capacity_ = 0;
  int64_t memory_limit_ = 0;
  ResourceName name_;
};

template <class K>
absl::StatusOr<std::unique_ptr<Kernel>> make_staging(const KernelConstruction& c) {
  auto kernel = std::make_unique<K>();
  TROUPE_RETURN_IF_ERROR(kernel->init(c));
  return kernel;
}

absl::Status set_count(KernelContext& context, size_t n) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(n);
  return absl::OkStatus();
}

using AreaPtr = std::shared_ptr<StagingArea>;

class StageKernel final : public StagingKernel<StagingArea> {
 protected:
  void run(KernelContext& context, const AreaPtr& area, Done done) override {
    StagingArea::Tuple tuple;
    for (int i = 0; i < context.num_inputs(); ++i) tuple.push_back(context.input(i));
    const int64_t bytes = staged_bytes(tuple);
    if (absl::Status s = area->bounds.check(bytes); !s.ok()) return done(std::move(s));
    area->waiters->add(
        context.cancellation(), kCancelled,
        [area, bytes, tuple = std::move(tuple)](absl::Status*) mutable {
          if (!area->bounds.has_room(static_cast<int64_t>(area->tuples.size()), area->bytes, bytes)) {
            return false;
          }
          area->tuples.push_back(std::move(tuple));
          area->bytes += bytes;
          return true;
        },
        std::move(done));
  }
};

/// Takes the first tuple, or looks at the one at an index.
template <bool kPeek>
class UnstageKernel final : public StagingKernel<StagingArea> {
 protected:
  void run(KernelContext& context, const AreaPtr& area, Done done) override {
    size_t index = 0;
    if (kPeek) {
      if (context.input(0).num_elements() != 1) return done(invalid("index must be a scalar"));
      const int32_t i = context.input(0).value<int32_t>();
      if (i < 0) return done(invalid("index must not be negative, but is ", i));
      index = static_cast<size_t>(i);
    }
    area->waiters->add(
        context.cancellation(), kCancelled,
        [area, index, &context](absl::Status* status) {
          if (area->tuples.size() <= index) return false;
          const StagingArea::Tuple& tuple = area->tuples[index];
          if (static_cast<int>(tuple.size()) != context.num_outputs()) {
            *status = invalid("Mismatch stage/unstage: ", tuple.size(), " vs. ", context.num_outputs());
            return true;
          }
          for (size_t i = 0; i < tuple.size(); ++i) context.set_output(static_cast<int>(i), tuple[i]);
          if (!kPeek) {
            area->bytes -= staged_bytes(tuple);
            area->tuples.pop_front();
          }
          return true;
        },
        std::move(done));
  }
};

class StageSizeKernel final : public StagingKernel<StagingArea> {
 protected:
  void run(KernelContext& context, const AreaPtr& area, Done done) override {
    std::unique_lock lock(area->mu);
    const size_t n = area->tuples.size();
    lock.unlock();
    done(set_count(context, n));
  }
};

class StageClearKernel final : public StagingKernel<StagingArea> {
 protected:
  void run(KernelContext&, const AreaPtr& area, Done done) override {
    {
      std::lock_guard lock(area->mu);
      area->tuples.clear();
      area->bytes = 0;
    }
    area->waiters->serve();
    done(absl::OkStatus());
  }
};

using MapPtr = std::shared_ptr<StagingMap>;

absl::StatusOr<int64_t> key_of(const Tensor& t) {
  if (t.num_elements() != 1) {
    return invalid("key must be an int64 scalar, got tensor with shape: ", t.shape().to_string());
  }
  return t.value<int64_t>();
}

/// At least one, strictly ascending.
absl::Status check_order(const Tensor& indices) {
  if (indices.num_elements() == 0) return invalid("Indices are empty");
  const auto all = indices.flat<int32_t>();
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i] <= all[i - 1]) return invalid("Indices are not strictly ordered");
  }
  return absl::OkStatus();
}

absl::Status check_range(int64_t key, const Tensor& indices, size_t components) {
  for (int32_t i : indices.flat<int32_t>()) {
    if (i >= 0 && static_cast<size_t>(i) < components) continue;
    return invalid("Index '", i, "' for key '", key, "' was out of bounds '", components, "'.");
  }
  return absl::OkStatus();
}

class MapStageKernel final : public StagingKernel<StagingMap> {
 protected:
  void run(KernelContext& context, const MapPtr& map, Done done) override {
    auto key = key_of(context.input(0));
    if (!key.ok()) return done(key.status());
    const Tensor& indices = context.input(1);
    std::vector<Tensor> values;
    for (int i = 2; i < context.num_inputs(); ++i) values.push_back(context.input(i));
    if (absl::Status s = check_values(*key, indices, values); !s.ok()) return done(std::move(s));
    const int64_t bytes = staged_bytes(values);
    if (absl::Status s = map->bounds.check(bytes); !s.ok()) return done(std::move(s));
    map->waiters->add(
        context.cancellation(), kCancelled,
        [this, map, key = *key, bytes, indices, values = std::move(values)](absl::Status* status) {
          return put(*map, key, indices, values, bytes, status);
        },
        std::move(done));
  }

 private:
  absl::Status check_values(int64_t key, const Tensor& indices, const std::vector<Tensor>& values) const {
    TROUPE_RETURN_IF_ERROR(check_order(indices));
    TROUPE_RETURN_IF_ERROR(check_range(key, indices, dtypes_.size()));
    if (indices.num_elements() != static_cast<int64_t>(values.size())) {
      return invalid("Number of indices ", indices.num_elements(), " does not match the number of values ",
                     values.size());
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const DataType wanted = dtypes_[static_cast<size_t>(indices.flat<int32_t>()[i])];
      if (values[i].dtype() != wanted) {
        return invalid("Expected dtype ", dtype_name(wanted), " for component ", indices.flat<int32_t>()[i],
                       ", got ", dtype_name(values[i].dtype()));
      }
    }
    return absl::OkStatus();
  }
  bool put(StagingMap& map, int64_t key, const Tensor& indices, const std::vector<Tensor>& values,
           int64_t bytes, absl::Status* status) const {
    if (!map.bounds.has_room(static_cast<int64_t>(map.complete.size()), map.bytes, bytes)) return false;
    if (values.size() == dtypes_.size()) {
      // Whole: parts that wait under the key stay.
      if (map.complete.try_emplace(key, values.begin(), values.end()).second) map.bytes += bytes;
      return true;
    }
    StagingMap::Parts& parts = map.incomplete[key];
    parts.resize(dtypes_.size());
    for (int32_t i : indices.flat<int32_t>()) {
      if (parts[static_cast<size_t>(i)].has_value()) {
        *status = invalid("The tensor for index '", i, "' for key '", key, "' was already initialized '",
                          dtypes_.size(), "'.");
        return true;
      }
    }
    for (size_t n = 0; n < values.size(); ++n)
      parts[static_cast<size_t>(indices.flat<int32_t>()[n])] = values[n];
    map.bytes += bytes;
    for (const auto& part : parts) {
      if (!part.has_value()) return true;
    }
    auto node = map.incomplete.extract(key);
    // The first tuple of a key stays until it is taken; another one is dropped.
    const auto result = map.complete.insert(std::move(node));
    if (!result.inserted) map.bytes -= staged_bytes(result.node.mapped());
    return true;
  }
};

/// Takes components of a tuple, or looks at them; by key, or of the first key.
enum class Take { kPeek, kByKey, kFirst };

template <Take kTake>
class MapTakeKernel final : public StagingKernel<StagingMap> {
 protected:
  void run(KernelContext& context, const MapPtr& map, Done done) override {
    int64_t key = 0;
    if (kTake != Take::kFirst) {
      auto given = key_of(context.input(0));
      if (!given.ok()) return done(given.status());
      key = *given;
    }
    const Tensor& indices = context.input(kTake == Take::kFirst ? 0 : 1);
    constexpr int kFirstValue = kTake == Take::kFirst ? 1 : 0;
    if (indices.num_elements() != context.num_outputs() - kFirstValue) {
      return done(invalid("Expected output length '", context.num_outputs() - kFirstValue,
                          "' to equal tuple size '", indices.num_elements(), "'."));
    }
    // The node names the types that it takes; what the tuple has is known when it is there.
    if (absl::Status s = check_order(indices); !s.ok()) return done(std::move(s));
    map->waiters->add(
        context.cancellation(), kCancelled,
        [map, key, indices, &context](absl::Status* status) {
          auto it = kTake == Take::kFirst ? map->complete.begin() : map->complete.find(key);
          if (it == map->complete.end()) return false;
          *status = take(*map, it, indices, context);
          return true;
        },
        std::move(done));
  }

 private:
  static absl::Status take(StagingMap& map, std::map<int64_t, StagingMap::Parts>::iterator it,
                           const Tensor& indices, KernelContext& context) {
    StagingMap::Parts& parts = it->second;
    constexpr int kFirstValue = kTake == Take::kFirst ? 1 : 0;
    TROUPE_RETURN_IF_ERROR(check_range(it->first, indices, parts.size()));
    for (int32_t i : indices.flat<int32_t>()) {
      if (!parts[static_cast<size_t>(i)].has_value()) {
        return invalid("Tensor at index '", i, "' for key '", it->first, "' has already been removed.");
      }
    }
    if (kTake == Take::kFirst) context.set_output(0, Tensor::scalar<int64_t>(it->first));
    int output = kFirstValue;
    for (int32_t i : indices.flat<int32_t>()) {
      std::optional<Tensor>& part = parts[static_cast<size_t>(i)];
      if (part->dtype() != context.output_type(output)) {
        return invalid("Output ", output, " is of type ", dtype_name(context.output_type(output)),
                       ", but component ", i, " of type ", dtype_name(part->dtype()));
      }
      context.set_output(output++, *part);
    }
    if (kTake == Take::kPeek) return absl::OkStatus();
    bool empty = true;
    for (int32_t i : indices.flat<int32_t>()) {
      std::optional<Tensor>& part = parts[static_cast<size_t>(i)];
      map.bytes -= static_cast<int64_t>(part->bytes());
      part.reset();
    }
    for (const auto& part : parts) empty = empty && !part.has_value();
    if (empty) map.complete.erase(it);
    return absl::OkStatus();
  }
};

template <bool kIncomplete>
class MapSizeKernel final : public StagingKernel<StagingMap> {
 protected:
  void run(KernelContext& context, const MapPtr& map, Done done) override {
    std::unique_lock lock(map->mu);
    const size_t n = kIncomplete ? map->incomplete.size() : map->complete.size();
    lock.unlock();
    done(set_count(context, n));
  }
};

class MapClearKernel final : public StagingKernel<StagingMap> {
 protected:
  void run(KernelContext&, const MapPtr& map, Done done) override {
    {
      std::lock_guard lock(map->mu);
      map->complete.clear();
      map->incomplete.clear();
      map->bytes = 0;
    }
    map->waiters->serve();
    done(absl::OkStatus());
  }
};

template <class K>
void add(KernelRegistry* registry, std::string op) {
  KernelDef def(std::move(op));
  def.factory = make_staging<K>;
  registry->add(std::move(def));
}

}  // namespace

void register_queue_staging(KernelRegistry* registry) {
  add<StageKernel>(registry, "Stage");
  add<UnstageKernel<false>>(registry, "Unstage");
  add<UnstageKernel<true>>(registry, "StagePeek");
  add<StageSizeKernel>(registry, "StageSize");
  add<StageClearKernel>(registry, "StageClear");
  for (std::string order : {"", "Ordered"}) {
    add<MapStageKernel>(registry, order + "MapStage");
    add<MapTakeKernel<Take::kByKey>>(registry, order + "MapUnstage");
    add<MapTakeKernel<Take::kFirst>>(registry, order + "MapUnstageNoKey");
    add<MapTakeKernel<Take::kPeek>>(registry, order + "MapPeek");
    add<MapSizeKernel<false>>(registry, order + "MapSize");
    add<MapSizeKernel<true>>(registry, order + "MapIncompleteSize");
    add<MapClearKernel>(registry, order + "MapClear");
  }
}

}  // namespace troupe
