#include "diagnose/judge/format_of_results.h"

#include <algorithm>

namespace npuscope::diagnose {

namespace {

/// Of a group's runs, that must have a format's bits: a fault is in few.
constexpr double kMostRuns = 0.9;
/// Results of so many numbers tell their format.
constexpr int64_t kFewestNumbers = 8;
/// Of so many, one may be in another format than the rest.
constexpr int64_t kFewestBesideOne = 4;

/// Whether runs are told in a format of `bits`: nearly all of those that can tell, of few all but
/// one, which may be the faulty one.
bool are_in_format(const std::vector<SampledRun>& runs, int bits) {
    int64_t known = 0;
    int64_t fitting = 0;
    for (const SampledRun& run : runs) {
        const bool tells = tells_format(run);
        known += tells ? 1 : 0;
        fitting += tells && run.bits <= bits ? 1 : 0;
    }
    return fitting > 1 && (static_cast<double>(fitting) >= kMostRuns * static_cast<double>(known) ||
                           (fitting == known - 1 && known >= kFewestBesideOne));
}

}  // namespace

bool tells_format(const SampledRun& run) {
    return run.numbers >= kFewestNumbers;
}

int bits_of_results(const ArithmeticSamples& samples, const ArithmeticGroup& group) {
    const std::vector<SampledRun>& own = samples.at(group).runs;
    for (const int bits : {kBFloat16.bits, kFloat16.bits})
        if (are_in_format(own, bits)) return bits;
    // Few runs have the format of their like that are stored in it, where one at most, which may be
    // the faulty one, says otherwise.
    if (static_cast<int64_t>(own.size()) >= kFewestOfKind || group.dtype != DType::kFloat32)
        return 0;
    for (const auto& [dtype, bits] :
         {std::pair(DType::kBFloat16, kBFloat16.bits), std::pair(DType::kFloat16, kFloat16.bits)}) {
        const auto like = samples.find({group.kind, dtype, group.computed_in});
        if (like == samples.end() || like->second.runs.size() <= own.size()) continue;
        const auto others = std::ranges::count_if(
            own, [most = bits](const SampledRun& run) { return run.bits > most; });
        if (others == 0 || (others == 1 && std::ssize(own) >= kFewestBesideOne)) return bits;
    }
    return 0;
}

int least_bits(const std::vector<SampledRun>& sample) {
    std::vector<int> bits;
    for (const SampledRun& run : sample)
        if (tells_format(run)) bits.push_back(run.bits);
    std::ranges::sort(bits);
    if (std::ssize(bits) < kFewestBesideOne) return bits.size() < 2 ? 0 : bits.front();
    return bits[static_cast<size_t>((1 - kMostRuns) * static_cast<double>(bits.size()))];
}

}  // namespace npuscope::diagnose
