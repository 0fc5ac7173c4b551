#pragma once

#include "actors/c_api/include/tensorflow/c/tf_status.h"

/// The border of the C API: each of its functions is a function-try-block that one of these ends, so that nothing is thrown at a
/// client (tools/dev/check_border.py sees to it). What was thrown becomes `status`, a TF_Status* that may be null; the second returns
/// `value`. They cost nothing while nothing is thrown.
#define TROUPE_BORDER(status)            \
  catch (...) {                          \
    ::troupe::c_api::set_thrown(status); \
  }
#define TROUPE_BORDER_OR(value, status)  \
  catch (...) {                          \
    ::troupe::c_api::set_thrown(status); \
    return value;                        \
  }

namespace troupe::c_api {

/// A client's text, which may be null: the empty one.
inline const char* text(const char* s) { return s == nullptr ? "" : s; }

/// For a `catch (...)`: ResourceExhausted when memory was short, else Internal.
void set_thrown(TF_Status* to) noexcept;

}  // namespace troupe::c_api
