#include "loss/formats/format.h"
#include "loss/formats/sampled_plan.h"

namespace npuscope::loss {

namespace {

bool is_torchtitan_step(std::string_view line) {
    return holds(line, "step:") && holds(line, "loss:") && holds(line, "tps:") &&
           !holds(line, "validate");
}

bool read_torchtitan(const LogBytes& bytes, LogBuilder& records, Log& log) {
    const LinePlan plan = sampled_plan(bytes.text(), is_torchtitan_step);
    if (plan.step_key != "step" || !plan.has(Quantity::kLoss)) return false;
    read_lines(plan, bytes.text(), records, log);
    return true;
}

}  // namespace

const Format k_torchtitan_format = {
    "torchtitan",
    "what torchtitan prints",
    "lines 'step: 1  loss: 8.05  grad_norm: 1.4  memory: …  tps: …'",
    read_torchtitan,
};

}  // namespace npuscope::loss
