#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "absl/strings/match.h"
#include "graph/ops/op_registry.h"
#include "graph/ops/shape_context.h"

namespace troupe {
namespace {

/// Attrs, shapes and values as no sane program writes them.
class Nonsense {
 public:
  explicit Nonsense(uint32_t seed) : rng_(seed) {}

  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(rng_); }

  int64_t number() {
    static constexpr int64_t kOdd[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       5,
                                       7,
                                       -1,
                                       -2,
                                       100,
                                       1 << 30,
                                       254,
                                       1000000,
                                       std::numeric_limits<int32_t>::max(),
                                       std::numeric_limits<int64_t>::max(),
                                       std::numeric_limits<int64_t>::min(),
                                       std::numeric_limits<int64_t>::max() - 1,
                                       std::numeric_limits<int32_t>::min()};
    return below(3) == 0 ? kOdd[below(std::size(kOdd))] : below(5);
  }

  PartialShape shape() {
    if (below(6) == 0) return PartialShape();
    std::vector<int64_t> dims(below(20) == 0 ? 250 : below(6));
    for (int64_t& d : dims) d = std::max<int64_t>(number(), -1);
    return PartialShape(std::move(dims));
  }

  std::vector<int64_t> numbers() {
    std::vector<int64_t> v(below(7));
    for (int64_t& i : v) i = number();
    return v;
  }

  DataType dtype() {
    static constexpr DataType kSome[] = {DataType::kFloat,  DataType::kInt32,     DataType::kInt64,
                                         DataType::kString, DataType::kComplex64, DataType::kUint8};
    return kSome[below(std::size(kSome))];
  }

  /// Nothing for kinds that do not matter.
  AttrValue attr(const AttrDef& def) {
    if (def.default_value && below(3) == 0) return *def.default_value;
    if (!def.allowed_strings.empty()) return def.allowed_strings[below(def.allowed_strings.size())];
    if (def.kind == "int") return absl::StartsWith(def.name, "N") || below(2) == 0 ? below(4) : number();
    if (def.kind == "float") return below(2) == 0 ? 0.0f : -1e30f;
    if (def.kind == "bool") return below(2) == 0;
    if (def.kind == "string") return std::string(below(2) == 0 ? "" : "SAME");
    if (def.kind == "type") return dtype();
    if (def.kind == "shape") return shape();
    if (def.kind == "tensor") return Tensor::from<int32_t>(Shape{2}, {-1, 3});
    if (def.kind == "list(int)") return below(2) == 0 ? std::vector<int64_t>{1, 2, 2, 1} : numbers();
    if (def.kind == "list(float)") return std::vector<float>{1, 0, -1, 1e-30f};
    if (def.kind == "list(type)") return std::vector<DataType>(below(4), dtype());
    if (def.kind == "list(string)") return std::vector<std::string>(below(4));
    if (def.kind == "list(shape)") {
      std::vector<PartialShape> v(below(4));
      for (PartialShape& s : v) s = shape();
      return v;
    }
    return def.default_value.value_or(AttrValue());
  }

  Known input() {
    Known k;
    k.shape = shape();
    if (below(3) == 0) {
      auto ints = std::make_shared<KnownInts>();
      ints->values = numbers();
      for (int64_t& v : ints->values) {
        if (below(6) == 0) v = KnownInts::kUnknown;
      }
      const auto n = static_cast<int64_t>(ints->values.size());
      ints->shape = n == 1 && below(2) == 0       ? Shape()
                    : n % 2 == 0 && below(3) == 0 ? Shape{n / 2, 2}
                                                  : Shape{n};
      k.shape = ints->shape;
      k.ints = std::move(ints);
    }
    if (below(4) == 0) {
      HandleShapes handle;
      for (int64_t i = below(3); i > 0; --i) handle.emplace_back(dtype(), shape());
      k.handle = std::make_shared<const HandleShapes>(std::move(handle));
    }
    return k;
  }

 private:
  std::mt19937 rng_;
};

TEST(ShapeFunctions, survive_nonsense) {
  int ran = 0;
  for (const std::string& name : builtin_ops().names()) {
    const OpDef* op = builtin_ops().find(name);
    if (!op->shape_fn) continue;
    ++ran;
    for (uint32_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(name + " with seed " + std::to_string(seed));
      Nonsense random(seed);
      AttrMap attrs;
      for (const AttrDef& def : op->attrs) attrs.set(def.name, random.attr(def));
      std::vector<DataType> in, out;
      // What an import would refuse does not come this far.
      if (!op_types(*op, attrs, &in, &out).ok() || in.size() > 100 || out.size() > 100) continue;
      std::vector<Known> inputs(in.size()), outputs(out.size());
      std::vector<const Known*> pointers;
      for (Known& k : inputs) {
        k = random.input();
        pointers.push_back(&k);
      }
      ShapeContext c(op, &attrs, pointers, outputs);
      absl::Status s = op->shape_fn(c);
      if (!s.ok()) {
        EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << s;
        EXPECT_FALSE(s.message().empty());
        continue;
      }
      for (const Known& k : outputs) {
        for (int i = 0; i < k.shape.rank(); ++i) EXPECT_GE(k.shape.dim(i), -1);
        if (k.ints != nullptr) {
          EXPECT_EQ(k.shape, PartialShape(k.ints->shape));
          EXPECT_EQ(k.ints->shape.num_elements(), static_cast<int64_t>(k.ints->values.size()));
        }
      }
    }
  }
  EXPECT_GT(ran, 700);
}

}  // namespace
}  // namespace troupe
