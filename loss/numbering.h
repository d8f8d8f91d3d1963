// How two logs count the steps of one course.
#pragma once

#include "loss/log.h"

namespace npuscope::loss {

/// The target, its steps counted as the golden counts them: loops count from 0, Megatron from 1.
/// Told by the losses, which as the logs list them are nearer to each other by half than as they
/// are numbered; else it stays as it is. A log that was renumbered has a remark.
[[nodiscard]] Log numbered_like(const Log& golden, Log target);

}  // namespace npuscope::loss
