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

}  // namespace

Fingerprint fingerprint_of(const TensorView& elements) {
    Fingerprint print;
    print.numel = elements.numel();
    visit_dtype(elements.dtype, [&]<class Element>() {
        for (int64_t i = 0; i < print.numel; ++i) {
            Element element;
            std::memcpy(
                &element, elements.data + static_cast<size_t>(i) * sizeof element, sizeof element);
            const double value = to_double(element);
            const uint64_t bits = value != value ? kNan : std::bit_cast<uint64_t>(value);
            print.first += mix(bits + kFirstSeed);
            print.second += mix(bits ^ kSecondSeed);
        }
    });
    return print;
}

}  // namespace npuscope::overflow
