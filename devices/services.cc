#include "devices/services.h"

namespace troupe {

Services& Services::outside_sessions() {
  static auto* const services = new Services;
  return *services;
}

}  // namespace troupe
