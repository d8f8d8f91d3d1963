#include "diagnose/bitwise/equality.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/tensor/byte_hash.h"

namespace npuscope::diagnose {

namespace {

constexpr size_t kDigitsOfOurs = 32;

bool same_elements(const ElementSource& a, const ElementSource& b) {
    constexpr int64_t kPiece = int64_t{1} << 18;
    if (a.dtype() != b.dtype() || a.numel() != b.numel()) return false;
    std::vector<std::byte> left;
    std::vector<std::byte> right;
    bool same = true;
    for (int64_t first = 0; same && first < a.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, a.numel() - first);
        same = std::memcmp(a.range(first, count, left),
                           b.range(first, count, right),
                           static_cast<size_t>(count) * size_of(a.dtype())) == 0;
        a.release(first, count);
        b.release(first, count);
    }
    a.require_intact();
    b.require_intact();
    return same;
}

Equality by_hash(const std::string& a, const std::string& b) {
    return a == b ? Equality::kEqual : Equality::kDiffers;
}

Equality by_content(const SourceTensor& a, const SourceTensor& b) {
    if (!a.problem.empty() || !b.problem.empty()) return Equality::kUnknown;
    try {
        const IgnoredElements* ignored = a.ignored ? a.ignored.get() : b.ignored.get();
        if (ignored != nullptr) {
            if (!a.open || !b.open) return Equality::kUnknown;
            const auto left = a.open();
            const auto right = b.open();
            return same_elements(KeptElements(*left, *ignored), KeptElements(*right, *ignored))
                       ? Equality::kEqual
                       : Equality::kDiffers;
        }
        if (a.open && b.open)
            return same_elements(*a.open(), *b.open()) ? Equality::kEqual : Equality::kDiffers;
        if (!a.hash.empty() && !b.hash.empty())
            return a.hash.size() == b.hash.size() ? by_hash(a.hash, b.hash) : Equality::kUnknown;
        const SourceTensor& hashed = a.open ? b : a;
        const SourceTensor& whole = a.open ? a : b;
        if (!whole.open || hashed.hash.size() != kDigitsOfOurs) return Equality::kUnknown;
        return by_hash(hashed.hash, hash_of(*whole.open()));
    } catch (const Error&) {
        return Equality::kUnknown;
    }
}

}  // namespace

Equality compare_bits(const SourceTensor& a, const SourceTensor& b) {
    if (a.dtype != b.dtype || a.shape != b.shape) return Equality::kDiffers;
    return by_content(a, b);
}

Equality compare_contents(const SourceTensor& a, const SourceTensor& b) {
    if (a.dtype != b.dtype || numel_of(a.shape) != numel_of(b.shape)) return Equality::kDiffers;
    return by_content(a, b);
}

}  // namespace npuscope::diagnose
