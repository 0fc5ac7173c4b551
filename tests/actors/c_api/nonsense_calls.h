#pragma once

#include <tuple>
#include <type_traits>

#include "tests/actors/c_api/nonsense_arguments.h"

namespace c_test {

/// What a call returned is given back.
template <class T>
void dispose(T) {}
void dispose(TF_Graph* graph);
void dispose(TF_Tensor* tensor);
void dispose(TF_Buffer* buffer);
void dispose(TF_Function* function);
void dispose(TF_Session* session);
void dispose(TF_DeprecatedSession* session);
void dispose(TF_SessionOptions* options);
void dispose(TF_ImportGraphDefOptions* options);
void dispose(TF_ImportGraphDefResults* results);
void dispose(TF_DeviceList* list);
void dispose(TF_ApiDefMap* map);
void dispose(TF_Library* library);
void dispose(TF_OperationDescription* description);
void dispose(TF_WhileParams params);

/// Called right before and after the function itself; null: nothing.
struct AroundCalls {
  void (*before)() = nullptr;
  void (*after)() = nullptr;
};
inline AroundCalls around_calls;

template <class R, class... Args>
void call_once(R (*function)(Args...), Draw* draw) {
  // In braces: the order of the draws is that of the arguments.
  std::tuple<Args...> args{draw->get<Args>()...};
  if (around_calls.before != nullptr) around_calls.before();
  if constexpr (std::is_void_v<R>) {
    std::apply(function, args);
    if (around_calls.after != nullptr) around_calls.after();
  } else {
    R result = std::apply(function, args);
    if (around_calls.after != nullptr) around_calls.after();
    dispose(result);
  }
}

template <class... Args>
constexpr bool has_status(void (*)(Args...)) {
  return (std::is_same_v<Args, TF_Status*> || ...);
}
template <class R, class... Args>
constexpr bool has_status(R (*)(Args...)) {
  return (std::is_same_v<Args, TF_Status*> || ...);
}

}  // namespace c_test
