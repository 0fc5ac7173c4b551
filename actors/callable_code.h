#pragma once

#include <memory>
#include <utility>

#include "actors/messages/session_internal.h"
#include "actors/options.h"
#include "actors/signature.h"

namespace troupe {

/// A callable: a signature that stays compiled, and how it runs.
struct CallableCode {
  CallableCode(std::shared_ptr<const SignatureAlias> a, LeaseRequest names, const RunOptions& options)
      : alias(std::move(a)), signature(std::move(names)), run_options(options) {
    ++alias->signature->pins;
  }
  ~CallableCode() { --alias->signature->pins; }
  CallableCode(const CallableCode&) = delete;

  const std::shared_ptr<const SignatureAlias> alias;
  /// What it was made of, by names.
  const LeaseRequest signature;
  const RunOptions run_options;
};

}  // namespace troupe
