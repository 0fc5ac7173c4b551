#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/actors/c_api/c_graph.h"

/// Arguments that no client should pass: null objects and texts, counts below zero, indices that are not there, objects of
/// another graph, sessions that were closed; arrays are as long as counts say, or null when these are below zero. Every call draws each of its arguments from the pool of its type.
namespace c_test {

/// What objects arguments are drawn from. Lives longer than the calls.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;

  TF_Status* status() const { return status_; }
  TF_Graph* graph() const { return graph_; }

 private:
  friend class Draw;
  TF_Operation* add_op(TF_Graph* graph, const char* op, const char* name,
                       const std::vector<TF_Output>& inputs);

  TF_Status* status_;
  TF_Graph* graph_;
  TF_Graph* other_;
  std::vector<TF_Operation*> operations_;  // null among them
  TF_Session* session_;
  TF_Session* closed_;
  TF_DeprecatedSession* old_session_;
  TF_DeprecatedSession* old_closed_;
  TF_SessionOptions* options_;
  TF_Function* function_;
  TF_DeviceList* devices_;
  TF_ApiDefMap* definitions_;
  TF_ImportGraphDefResults* results_;
};

/// The arguments of one call, and their storage. Round 0: nulls and -1 alone. Without arrays: these are null whatever counts say, and so
/// are the places for results.
class Draw {
 public:
  Draw(World* world, uint64_t seed, bool nulls, bool arrays = true)
      : world_(world), state_(seed), nulls_(nulls), arrays_(arrays) {}
  ~Draw();
  Draw(const Draw&) = delete;

  template <class T>
  T get();

  /// The call has taken over the description, as TF_FinishOperation does.
  void take_description() { descriptions_.clear(); }

 private:
  static constexpr size_t kLength = 16;
  uint64_t next(uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }
  /// Null in round 0, else one time in four.
  bool null() { return nulls_ || next(4) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[nulls_ ? 0 : next(values.size())];
  }
  /// An array that the call may write to; `make` fills it.
  template <class T>
  T* array(const std::function<T()>& make) {
    if (nulls_ || !arrays_) return nullptr;
    auto storage = std::make_shared<std::array<T, kLength>>();
    for (T& value : *storage) value = make();
    kept_.push_back(storage);
    // What the call puts there is given back.
    if constexpr (std::is_pointer_v<T>) {
      for (T& value : *storage) {
        returned_.push_back([this, &value, before = value] {
          if (value != before) give_back(value);
        });
      }
    }
    return storage->data();
  }
  template <class T>
  void give_back(T) {}
  void give_back(TF_Tensor* tensor);
  void give_back(TF_Buffer* buffer) { TF_DeleteBuffer(buffer); }
  void give_back(TF_Function* function) { TF_DeleteFunction(function); }
  TF_Output output();
  TF_Input input() {
    const TF_Output o = output();
    return {o.oper, o.index};
  }
  TF_Operation* operation() { return world_->operations_[nulls_ ? 0 : next(world_->operations_.size())]; }
  TF_Tensor* tensor();
  TF_Buffer* buffer();
  int number() { return one_of<int>({-1, -7, INT32_MIN, 0, 1, 2, 3}); }
  size_t length() { return one_of<size_t>({0, 1, 3, 8}); }
  int64_t dimension() { return one_of<int64_t>({-1, -7, 0, 1, 2, int64_t{1} << 62}); }
  const char* text();
  const void* bytes();

  World* const world_;
  uint64_t state_;
  const bool nulls_;
  const bool arrays_;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<TF_OperationDescription*> descriptions_;
  std::vector<TF_Tensor*> tensors_;
  std::vector<TF_Buffer*> buffers_;
  std::vector<TF_ImportGraphDefOptions*> import_options_;
  std::vector<std::function<void()>> returned_;
};

}  // namespace c_test
