#pragma once

namespace troupe::bench {

/// Of this process, in KiB; 0 where the system does not tell.
double resident_kib();
/// How many threads this process has; 0 where the system does not tell.
int thread_count();

}  // namespace troupe::bench
