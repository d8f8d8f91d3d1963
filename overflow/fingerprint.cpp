#include "overflow/fingerprint.h"

#include <bit>
#include <cstring>

namespace npuscope::overflow {

namespace {

// The finaliser of SplitMix64. Source: Steele, Lea and Flood, OOPSLA 2014, section 5.
uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

constexpr uint64_t kFirstSeed = 0x9e3779b97f4a7c15u;
constexpr uint64_t kSecondSeed = 0xd1b54a32d192ed03u;
constexpr uint64_t kNan = 0x7ff8000000000000u;

uint64_t bits_of(double value) {
    return value != value ? kNan : std::bit_cast<uint64_t>(value);
}

}  // namespace

Fingerprint fingerprint_of(const TensorView& elements) {
    Fingerprint print;
    print.numel = elements.numel();
    visit_dtype(elements.dtype, [&]<class Element>() {
        for (int64_t i = 0; i < print.numel; ++i) {
            Element element;
            std::memcpy(
                &element, elements.data + static_cast<size_t>(i) * sizeof element, sizeof element);
            const uint64_t bits = bits_of(to_double(element));
            print.first += mix(bits + kFirstSeed);
            print.second += mix(bits ^ kSecondSeed);
        }
    });
    return print;
}

Fingerprint fingerprint_of(const RecordedStatistics& statistics, int64_t numel) {
    Fingerprint print{.numel = numel, .first = kFirstSeed, .second = kSecondSeed};
    for (const auto& number :
         {statistics.max, statistics.min, statistics.mean, statistics.norm, statistics.l1}) {
        // What is missing differs from every number.
        const uint64_t bits = number ? mix(bits_of(*number)) : 1;
        print.first = mix(print.first ^ bits);
        print.second = mix(print.second + bits);
    }
    return print;
}

}  // namespace npuscope::overflow
