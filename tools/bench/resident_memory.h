#pragma once

namespace troupe::bench {

/// Of this process, in KiB; 0 where the system does not tell.
double resident_kib();

}  // namespace troupe::bench
