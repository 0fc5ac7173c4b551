#include "actors/end_idle_slots.h"

#include "actors/function_cache.h"

namespace troupe {

bool end_idle_slots(SessionCore& core, IdleSlots::What what) {
  std::vector<std::shared_ptr<StepSlot>> taken;
  bool left = false;
  const auto look = [&](SlotStock& stock) {
    if (what == IdleSlots::What::kUnneeded) stock.take_unneeded(&taken);
    if (what == IdleSlots::What::kAll) stock.take_all(&taken);
    left |= stock.has_idle();
  };
  core.signatures.for_each_stock(look);
  core.functions->for_each_stock(look);
  for (const std::shared_ptr<StepSlot>& slot : taken) stop_slot(slot);
  return left;
}

}  // namespace troupe
