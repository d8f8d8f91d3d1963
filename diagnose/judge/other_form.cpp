#include "diagnose/judge/other_form.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/form_distance.h"

namespace npuscope::diagnose {

namespace {

constexpr double kNearerForm = 1.25;
/// 3000 to one.
constexpr double kLogOdds = 8;

/// Whether it is clearly nearer to the other one.
bool is_nearer(const FormDistance& own, const FormDistance& other) {
    return std::isfinite(own.rms) && own.rms > kNearerForm * other.rms &&
           std::min(own.elements, other.elements) * std::log(own.rms / other.rms) > kLogOdds;
}

/// How many times nearer result `i` is to `form`, where it clearly is and the golden's is not; else
/// 0.
double times_nearer(std::span<const OpRun> forms,
                    size_t expected,
                    size_t form,
                    size_t i,
                    const GoldenForms& golden) {
    const RecordedResult& result = forms[expected].results[i];
    for (const Over over : {Over::kNothing, Over::kMagnitude}) {
        const FormDistance off = distance_to(forms[expected], result, over);
        const FormDistance other = distance_to(forms[form], result, over);
        if (!is_nearer(off, other)) continue;
        const std::vector<OpRun> theirs = golden();
        if (theirs.size() == forms.size() && i < theirs[form].results.size()) {
            const RecordedResult& like = theirs[form].results[i];
            if (distance_to(theirs[form], like, over).rms <
                distance_to(theirs[expected], like, over).rms)
                continue;
        }
        return off.rms / other.rms;
    }
    return 0;
}

/// "approximate=tanh", "no rounding_mode": the last form has the word at its end.
std::string name_of(const OpRun& form, const OpRun& last) {
    const std::string& word = last.arguments.back().name;
    const Value* value = find(form.arguments, word);
    return value == nullptr ? "no " + word : word + "=" + std::get<std::string>(*value);
}

}  // namespace

std::optional<size_t> form_of_device(std::span<const OpRun> forms, const Device& device) {
    OpRun asked = forms.front();
    const auto made = run(*asked.op, asked.arguments, device);
    if (!made || asked.results.empty()) return std::nullopt;
    RecordedResult& result = asked.results.front();
    const Tensor* own = expected_of(*made, result);
    if (own == nullptr || !is_float(own->dtype())) return std::nullopt;
    result.elements = *own;
    std::vector<FormDistance> off;
    for (const OpRun& form : forms)
        off.push_back(distance_to(form, result, Over::kNothing));
    const auto nearest = std::ranges::min_element(off, {}, &FormDistance::rms);
    if (nearest == off.begin()) return std::nullopt;
    for (const FormDistance& each : off)
        if (&each != &*nearest && !is_nearer(each, *nearest)) return std::nullopt;
    return static_cast<size_t>(nearest - off.begin());
}

void tell_other_form(std::span<const OpRun> forms,
                     size_t expected,
                     const GoldenForms& golden,
                     SideJudge::Errors& errors) {
    const OpRun& own = forms[expected];
    for (size_t i = 0; i < own.results.size() && i < errors.size(); ++i) {
        const RecordedResult& result = own.results[i];
        if (!errors[i] || errors[i]->ratio == 0 || errors[i]->ratio > 1 ||
            !is_float(result.elements.dtype()))
            continue;
        for (size_t form = 0; form < forms.size(); ++form) {
            const double times =
                form == expected ? 0 : times_nearer(forms, expected, form, i, golden);
            if (times == 0) continue;
            errors[i]->ratio = std::max(times, errors[i]->ratio);
            errors[i]->told = fmt::format("computed with {}, which it is {:.2g} times nearer to",
                                          name_of(forms[form], forms.back()),
                                          times);
        }
    }
}

}  // namespace npuscope::diagnose
