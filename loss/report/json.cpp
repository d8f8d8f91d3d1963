#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/json_value.h"
#include "core/base/version.h"
#include "loss/capture.h"
#include "loss/report/report.h"

namespace npuscope::loss {

namespace {

using nlohmann::ordered_json;

ordered_json log_json(const Log& log) {
    const Curve& loss = log.of(Quantity::kLoss);
    ordered_json also = ordered_json::array();
    for (size_t q = 1; q < kQuantities; ++q)
        if (!log.curves[q].empty()) also.push_back(name_of(static_cast<Quantity>(q)));
    return {{"path", log.path},
            {"format", log.format},
            {"pattern", text_or_null(log.pattern)},
            {"loss", text_or_null(log.loss_name)},
            {"records", loss.size()},
            {"first_step", loss.steps.front()},
            {"last_step", loss.steps.back()},
            {"also", also},
            {"remarks", log.remarks}};
}

ordered_json capture_json(const std::optional<Capture>& capture) {
    if (!capture) return nullptr;
    return {{"step", capture->step},
            {"phase", text_or_null(capture->phase)},
            {"why", capture->text},
            {"npuscope", npuscope_lines(*capture)},
            {"msprobe", msprobe_config(*capture)}};
}

ordered_json course_json(const Course& course) {
    return {{"class", row_of(course.kind).name},
            {"side", course.in_golden ? "golden" : "target"},
            {"step", course.step},
            {"size", number_json(course.size)},
            {"text", course.text}};
}

ordered_json verdict_json(const Judged& one) {
    const Verdict& verdict = one.verdict;
    ordered_json sides = ordered_json::array();
    for (const SideDifference& side : verdict.sides)
        sides.push_back({{"quantity", name_of(side.quantity)},
                         {"step", side.step},
                         {"golden", number_json(side.golden)},
                         {"target", number_json(side.target)}});
    const bool parted = verdict.step != 0 || verdict.before != 0;
    ordered_json step = nullptr;
    ordered_json before = nullptr;
    if (parted && verdict.is_finding) {
        step = verdict.step;
        if (verdict.before != 0) before = verdict.before;
    }
    return {{"log", log_json(one.log)},
            {"class", row_of(verdict.kind).name},
            {"finding", verdict.is_finding},
            {"confidence", number_json(verdict.confidence)},
            {"headline", verdict.headline},
            {"step", step},
            {"before", before},
            {"difference", number_json(verdict.difference)},
            {"limit", number_json(verdict.limit)},
            {"course", course_json(verdict.course)},
            {"evidence", verdict.evidence},
            {"sides", sides},
            {"capture", capture_json(verdict.capture)},
            {"common_steps", verdict.common},
            {"step_noise", number_json(verdict.step_noise)},
            {"largest_difference", number_json(verdict.largest)},
            {"mean_relative_error", number_json(verdict.mean_relative_error)},
            {"remarks", verdict.remarks}};
}

/// Where the lowest and highest values of each of `parts` parts are; all of a short curve.
std::vector<size_t> extremes(const std::vector<double>& values, size_t parts) {
    std::vector<size_t> kept;
    const size_t length = std::max<size_t>(1, (values.size() + parts - 1) / parts);
    for (size_t first = 0; first < values.size(); first += length) {
        const size_t last = std::min(values.size(), first + length);
        size_t low = first, high = first;
        for (size_t i = first; i < last; ++i) {
            // What is no number is kept as the highest.
            if (!(values[i] <= values[high])) high = i;
            if (values[i] < values[low]) low = i;
        }
        kept.push_back(std::min(low, high));
        if (low != high) kept.push_back(std::max(low, high));
    }
    return kept;
}

ordered_json curve_json(const Log& log) {
    const Curve& loss = log.of(Quantity::kLoss);
    ordered_json steps = ordered_json::array();
    ordered_json values = ordered_json::array();
    constexpr size_t kParts = 1000;
    for (const size_t i : extremes(loss.values, kParts)) {
        steps.push_back(loss.steps[i]);
        values.push_back(number_json(loss.values[i]));
    }
    return {{"name", log.path}, {"steps", std::move(steps)}, {"values", std::move(values)}};
}

}  // namespace

std::string to_json(const Comparison& comparison) {
    ordered_json targets = ordered_json::array();
    for (const Judged& one : comparison.targets)
        targets.push_back(verdict_json(one));
    ordered_json like = ordered_json::array();
    for (const Log& log : comparison.like)
        like.push_back(log_json(log));
    const ordered_json report = {{"version", 1},
                                 {"npuscope", kVersion},
                                 {"found", comparison.found()},
                                 {"golden", log_json(comparison.golden)},
                                 {"like", like},
                                 {"targets", targets},
                                 {"options",
                                  {{"precision", name_of(comparison.options.precision)},
                                   {"accumulation", comparison.options.accumulation},
                                   {"any_start", comparison.options.any_start}}}};
    return json_text(report, 2) + "\n";
}

std::string curves_json(const Comparison& comparison) {
    ordered_json curves = ordered_json::array({curve_json(comparison.golden)});
    for (const Judged& target : comparison.targets)
        curves.push_back(curve_json(target.log));
    return json_text(ordered_json{{"curves", std::move(curves)}}, -1);
}

}  // namespace npuscope::loss
