#include "loss/formats/sampled_plan.h"

#include <deque>
#include <string>

#include "loss/lines.h"

namespace npuscope::loss {

namespace {
constexpr size_t kSampled = 256;
}

LinePlan sampled_plan(std::string_view text, LineTest test) {
    MarkedLines lines(text, "oss");
    std::deque<std::string> kept;
    std::vector<std::string_view> sample;
    std::string_view line;
    std::string buffer;
    while (sample.size() < kSampled && lines.next(line)) {
        std::string_view clean = without_escapes(line, buffer);
        static_cast<void>(take_rank(clean));
        if (test(clean)) sample.push_back(kept.emplace_back(clean));
    }
    return guess_plan(sample);
}

}  // namespace npuscope::loss
