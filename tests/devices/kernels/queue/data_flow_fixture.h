#pragma once

#include <gmock/gmock.h>

#include <vector>

#include "tests/actors/session_fixture.h"

namespace troupe::test {

using Types = std::vector<DataType>;

/// What waits in a step, and what lasts between steps.
class DataFlowTest : public SessionTest {};

}  // namespace troupe::test
