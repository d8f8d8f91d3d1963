// Ops that have several forms which recorders leave out (`approximate` of gelu).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "diagnose/judge/side_judge.h"

namespace npuscope::diagnose {

/// The golden's run in each of the forms; none without a golden.
using GoldenForms = std::function<std::vector<OpRun>()>;

/// The form that `device` computes though the first is asked for, as an NPU's kernel of gelu; empty
/// where it computes that one, or its results are clearly nearer to none.
[[nodiscard]] std::optional<size_t> form_of_device(std::span<const OpRun> forms,
                                                   const Device& device);

/// Where the results of a run, honest in the form that it should have, are clearly nearer to
/// another form (a quarter in root mean square, and 3000 to one against chance), and the golden's
/// are not, that is told.
void tell_other_form(std::span<const OpRun> forms,
                     size_t expected,
                     const GoldenForms& golden,
                     SideJudge::Errors& errors);

}  // namespace npuscope::diagnose
