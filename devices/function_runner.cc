#include "devices/function_runner.h"

#include "devices/kernel.h"

namespace troupe {

Services& services_of(const StepState& step) {
  return step.functions == nullptr ? Services::outside_sessions() : step.functions->services();
}

}  // namespace troupe
