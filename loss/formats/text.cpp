#include "loss/formats/format.h"
#include "loss/formats/sampled_plan.h"

namespace npuscope::loss {

namespace {

bool any_line(std::string_view) {
    return true;
}

bool read_text(const LogBytes& bytes, LogBuilder& records, Log& log) {
    const LinePlan plan = sampled_plan(bytes.text(), any_line);
    if (!plan.has(Quantity::kLoss)) return false;
    read_lines(plan, bytes.text(), records, log);
    log.pattern = plan.to_text();
    return true;
}

}  // namespace

const Format k_text_format = {
    "text",
    "anything else that prints its loss",
    "lines with a number behind 'loss'; the pattern is guessed and shown",
    read_text,
};

}  // namespace npuscope::loss
