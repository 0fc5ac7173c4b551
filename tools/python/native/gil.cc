#include "tools/python/native/gil.h"

#include <unistd.h>

namespace troupe::python {

bool python_ends() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() == 0 || Py_IsFinalizing() != 0;
#else
  return Py_IsInitialized() == 0 || _Py_IsFinalizing() != 0;
#endif
}

void park() noexcept {
  for (;;) pause();
}

GilAcquire::GilAcquire() : held_(!python_ends()) {
  if (!held_) return;
  try {
    state_ = PyGILState_Ensure();
  } catch (const abi::__forced_unwind&) {
    park();
  }
}

}  // namespace troupe::python
