#include "loss/formats/format.h"
#include "loss/formats/sampled_plan.h"

namespace npuscope::loss {

namespace {

bool is_megatron_step(std::string_view line) {
    return holds(line, "iteration") && holds(line, " | ") && holds(line, "loss") &&
           !holds(line, " at iteration");
}

bool read_megatron(const LogBytes& bytes, LogBuilder& records, Log& log) {
    const LinePlan plan = sampled_plan(bytes.text(), is_megatron_step);
    if (plan.step_key != "iteration" || !plan.has(Quantity::kLoss)) return false;
    read_lines(plan, bytes.text(), records, log);
    return true;
}

}  // namespace

const Format k_megatron_format = {
    "megatron",
    "what Megatron-LM, MindSpeed and those built on them print",
    "lines 'iteration 10/ 100 | … | lm loss: 1.05E+01 | …'",
    read_megatron,
};

}  // namespace npuscope::loss
