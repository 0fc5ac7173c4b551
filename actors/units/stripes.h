#pragma once

#include <array>
#include <atomic>

namespace troupe {

/// A T that several threads use, and, from when they first got in each other's way (`spread`), N of them, a cache line or more each, by a
/// number that goes with the thread: most things are never used by two threads at once, and one T takes little. Thread-safe, but for the Ts.
template <class T, int N>
class Stripes {
 public:
  Stripes() = default;
  Stripes(const Stripes&) = delete;
  ~Stripes() { delete rest_.load(std::memory_order_relaxed); }

  /// The T for this number, from 0 to below N. Before `spread` it is the first for all of them, after it for 0 alone.
  T& at(int number) {
    Rest* const rest = rest_.load(std::memory_order_seq_cst);
    return number == 0 || rest == nullptr ? first_ : (*rest)[number - 1].value;
  }
  bool is_first(const T& t) const { return &t == &first_; }
  /// Cheap when that has happened.
  void spread() {
    if (rest_.load(std::memory_order_relaxed) != nullptr) return;
    auto* const fresh = new Rest;
    Rest* none = nullptr;
    if (!rest_.compare_exchange_strong(none, fresh, std::memory_order_seq_cst)) delete fresh;
  }
  /// Of those that there are.
  template <class Visit>
  void for_each(const Visit& visit) {
    visit(first_);
    if (Rest* const rest = rest_.load(std::memory_order_seq_cst)) {
      for (Apart& t : *rest) visit(t.value);
    }
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    const_cast<Stripes*>(this)->for_each([&](const T& t) { visit(t); });
  }
  /// How many there are: 1 or N.
  int size() const { return rest_.load(std::memory_order_relaxed) == nullptr ? 1 : N; }

 private:
  struct alignas(64) Apart {
    T value;
  };
  using Rest = std::array<Apart, N - 1>;

  T first_;
  std::atomic<Rest*> rest_{nullptr};
};

}  // namespace troupe
