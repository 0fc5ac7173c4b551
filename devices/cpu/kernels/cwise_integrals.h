#pragma once

namespace troupe {

class KernelRegistry;

/// Dawsn, Expint, FresnelCos, FresnelSin, Spence.
void register_cwise_integrals(KernelRegistry* registry);

}  // namespace troupe
