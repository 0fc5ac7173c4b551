#include "actors/c_api/border.h"
#include "actors/c_api/handles.h"

#include "devices/cpu/kernels/shared/print_listeners.h"

extern "C" void TF_RegisterLogListener(void (*listener)(const char*)) try {
  if (listener != nullptr) troupe::add_print_listener(listener);
}
TROUPE_BORDER(nullptr)
