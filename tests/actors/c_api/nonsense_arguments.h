#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/actors/c_api/nonsense.h"

/// The pools of arguments, a type each.
namespace c_test {

template <>
inline TF_DataType Draw::get() {
#ifdef TROUPE_SANITIZED
  // In C++ an enum holds only what the bits of its enumerators can say, and the sanitizer sees to it.
  return static_cast<TF_DataType>(one_of<int>({0, 1, 3, 7, 20, 21, 60, 63}));
#else
  return static_cast<TF_DataType>(one_of<int>({0, 1, 3, 7, 20, 21, 99, -1, 101}));
#endif
}
template <>
inline char* Draw::get() {
  if (nulls_ || !arrays_) return nullptr;
  auto storage = std::make_shared<std::array<char, 4096>>();
  kept_.push_back(storage);
  return storage->data();
}
template <>
inline TF_OperationDescription* Draw::get() {
  if (null()) return nullptr;
  static int count = 0;
  const std::string name = "described" + std::to_string(count++);
  descriptions_.push_back(TF_NewOperation(
      world_->graph_, one_of<const char*>({"Placeholder", "Const", "AddN", "NoSuchOp"}), name.c_str()));
  return descriptions_.back();
}
template <>
inline TF_ImportGraphDefOptions* Draw::get() {
  if (null()) return nullptr;
  import_options_.push_back(TF_NewImportGraphDefOptions());
  return import_options_.back();
}
template <>
inline const TF_WhileParams* Draw::get() {
  if (null()) return nullptr;
  kept_.push_back(std::make_shared<TF_WhileParams>(
      TF_WhileParams{-1, nullptr, nullptr, {nullptr, 0}, nullptr, nullptr, nullptr, nullptr}));
  return static_cast<const TF_WhileParams*>(kept_.back().get());
}

#define C_TEST_ARGUMENT(T, ...) \
  template <>                   \
  inline T Draw::get() {        \
    return __VA_ARGS__;         \
  }
C_TEST_ARGUMENT(TF_Status*, world_->status_)
C_TEST_ARGUMENT(int, number())
C_TEST_ARGUMENT(size_t, length())
C_TEST_ARGUMENT(int64_t, dimension())
C_TEST_ARGUMENT(float, -1)
C_TEST_ARGUMENT(unsigned char, static_cast<unsigned char>(next(2)))
C_TEST_ARGUMENT(bool, next(2) != 0)
C_TEST_ARGUMENT(const char*, text())
C_TEST_ARGUMENT(const void*, bytes())
C_TEST_ARGUMENT(void*, const_cast<void*>(bytes()))
C_TEST_ARGUMENT(TF_Graph*, null() ? nullptr : next(4) == 0 ? world_->other_ : world_->graph_)
C_TEST_ARGUMENT(const TF_Graph*, get<TF_Graph*>())
C_TEST_ARGUMENT(TF_Operation*, operation())
C_TEST_ARGUMENT(TF_Output, output())
C_TEST_ARGUMENT(TF_Input, input())
C_TEST_ARGUMENT(TF_Tensor*, tensor())
C_TEST_ARGUMENT(TF_Buffer*, buffer())
C_TEST_ARGUMENT(const TF_Buffer*, buffer())
C_TEST_ARGUMENT(TF_Session*, null() ? nullptr : next(2) == 0 ? world_->closed_ : world_->session_)
C_TEST_ARGUMENT(TF_DeprecatedSession*, null()         ? nullptr
                                       : next(2) == 0 ? world_->old_closed_
                                                      : world_->old_session_)
C_TEST_ARGUMENT(TF_SessionOptions*, null() ? nullptr : world_->options_)
C_TEST_ARGUMENT(const TF_SessionOptions*, get<TF_SessionOptions*>())
C_TEST_ARGUMENT(const TF_ImportGraphDefOptions*, get<TF_ImportGraphDefOptions*>())
C_TEST_ARGUMENT(TF_ImportGraphDefResults*, null() ? nullptr : world_->results_)
C_TEST_ARGUMENT(TF_Function*, null() ? nullptr : world_->function_)
C_TEST_ARGUMENT(const TF_Function*, get<TF_Function*>())
C_TEST_ARGUMENT(const TF_FunctionOptions*, nullptr)
C_TEST_ARGUMENT(const TF_DeviceList*, null() ? nullptr : world_->devices_)
C_TEST_ARGUMENT(TF_ApiDefMap*, null() ? nullptr : world_->definitions_)
C_TEST_ARGUMENT(TF_Server*, nullptr)
C_TEST_ARGUMENT(TF_Library*, nullptr)
using LogListener = void (*)(const char*);
C_TEST_ARGUMENT(LogListener, nullptr)
#undef C_TEST_ARGUMENT

#define C_TEST_ARRAY(T, make)                        \
  template <>                                        \
  inline T* Draw::get() {                            \
    return array<T>([this]() -> T { return make; }); \
  }                                                  \
  template <>                                        \
  inline T const* Draw::get() {                      \
    return get<T*>();                                \
  }
C_TEST_ARRAY(int, number())
C_TEST_ARRAY(size_t, length())
C_TEST_ARRAY(int64_t, dimension())
C_TEST_ARRAY(float, -1)
C_TEST_ARRAY(unsigned char, 1)
C_TEST_ARRAY(TF_DataType, get<TF_DataType>())
C_TEST_ARRAY(TF_Output, output())
C_TEST_ARRAY(TF_Input, input())
C_TEST_ARRAY(TF_Operation*, operation())
C_TEST_ARRAY(TF_Tensor*, tensor())
C_TEST_ARRAY(TF_Buffer*, nullptr)
C_TEST_ARRAY(TF_Function*, nullptr)
C_TEST_ARRAY(const char*, text())
C_TEST_ARRAY(const void*, bytes())
C_TEST_ARRAY(void*, const_cast<void*>(bytes()))
C_TEST_ARRAY(int64_t*, get<int64_t*>())
C_TEST_ARRAY(const int64_t*, get<const int64_t*>())
C_TEST_ARRAY(int*, nullptr)
C_TEST_ARRAY(TF_Output*, nullptr)
C_TEST_ARRAY(TF_Operation**, nullptr)
C_TEST_ARRAY(const char**, nullptr)
C_TEST_ARRAY(const TF_Operation*, operation())
#undef C_TEST_ARRAY

}  // namespace c_test
