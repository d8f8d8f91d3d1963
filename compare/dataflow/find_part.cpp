#include "compare/dataflow/find_part.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <unordered_map>

#include "compare/dataflow/tensor_pass.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Elements looked for of each input; a bit of a mask each.
constexpr size_t kMostPatterns = 32;
/// Fewer bits in all of them are met by chance: values of an output are alike.
constexpr double kEnoughPatternBits = 60;
constexpr int64_t kScanned = 16384;

/// One element of an input that is looked for.
struct Wanted {
    uint32_t input;
    uint32_t bit;
};

/// Which inputs hold a value. A small table of bits answers for most values that none does.
class Patterns {
  public:
    void add(uint64_t value, Wanted wanted) {
        wanted_[value].push_back(wanted);
        const size_t at = place(value);
        seen_[at / 64] |= uint64_t{1} << (at % 64);
    }

    void mark(uint64_t value, std::vector<uint32_t>& found) const {
        const size_t at = place(value);
        if ((seen_[at / 64] >> (at % 64) & 1) == 0) return;
        const auto known = wanted_.find(value);
        if (known == wanted_.end()) return;
        for (const Wanted& wanted : known->second)
            found[wanted.input] |= wanted.bit;
    }

  private:
    static constexpr int kPlaceBits = 18;
    static size_t place(uint64_t value) {
        return static_cast<size_t>((value ^ value >> 32) * 0x9e3779b97f4a7c15u >>
                                   (64 - kPlaceBits));
    }

    std::unordered_map<uint64_t, std::vector<Wanted>> wanted_;
    std::vector<uint64_t> seen_ = std::vector<uint64_t>((size_t{1} << kPlaceBits) / 64);
};

/// Calls f(bits of the element as float64).
template <class F>
void for_each_value(const ElementSource& elements, F&& f) {
    std::vector<std::byte> buffer;
    for (int64_t first = 0; first < elements.numel(); first += kScanned) {
        const int64_t count = std::min(kScanned, elements.numel() - first);
        const std::byte* bytes = elements.range(first, count, buffer);
        visit_dtype(elements.dtype(), [&]<class T>() {
            for (int64_t i = 0; i < count; ++i) {
                T value;
                std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
                f(std::bit_cast<uint64_t>(to_double(value)));
            }
        });
        elements.release(first, count);
    }
}

/// Distinct telling values from all over the tensor; empty where they tell too little.
std::vector<uint64_t> sample(const ElementSource& elements) {
    std::set<uint64_t> values;
    double bits = 0;
    int64_t at = 0;
    int64_t next = 0;
    const int64_t step = std::max<int64_t>(1, elements.numel() / (int64_t{kMostPatterns} * 4));
    for_each_value(elements, [&](uint64_t value) {
        if (at++ < next || values.size() == kMostPatterns * 4) return;
        const int told = told_bits(std::bit_cast<double>(value));
        if (told == 0) return;
        next = at - 1 + step;
        if (values.insert(value).second) bits += told;
    });
    if (bits < kEnoughPatternBits) return {};
    std::vector<uint64_t> chosen;
    const size_t stride = (values.size() + kMostPatterns - 1) / kMostPatterns;
    size_t place = 0;
    for (const uint64_t value : values)
        if (place++ % stride == 0) chosen.push_back(value);
    return chosen;
}

}  // namespace

void find_parts(const Source& source,
                Dataflow& flow,
                const std::vector<size_t>& inputs,
                int threads) {
    std::vector<size_t> open;
    for (const size_t input : inputs)
        if (!flow.tensors[input].producer && flow.tensors[input].content) open.push_back(input);
    if (open.empty()) return;
    std::vector<std::vector<uint64_t>> values(open.size());
    for_each_traced(source, flow, open, threads, [&](size_t at, const ElementSource& elements) {
        values[at] = sample(elements);
    });
    Patterns patterns;
    for (size_t at = 0; at < open.size(); ++at)
        for (size_t i = 0; i < values[at].size(); ++i)
            patterns.add(values[at][i], {static_cast<uint32_t>(at), uint32_t{1} << i});

    std::vector<size_t> outputs;
    size_t last = 0;
    for (const size_t input : open)
        last = std::max(last, flow.tensors[input].op);
    for (size_t i = 0; i < flow.first[last]; ++i)
        if (flow.tensors[i].direction == Direction::kOutput && flow.tensors[i].content)
            outputs.push_back(i);
    std::vector<std::vector<uint32_t>> found(outputs.size());
    for_each_traced(source, flow, outputs, threads, [&](size_t at, const ElementSource& elements) {
        found[at].resize(open.size());
        for_each_value(elements, [&](uint64_t value) { patterns.mark(value, found[at]); });
    });
    for (size_t at = 0; at < outputs.size(); ++at) {
        for (size_t i = 0; i < open.size() && !found[at].empty(); ++i) {
            TracedTensor& input = flow.tensors[open[i]];
            const size_t count = values[i].size();
            const bool all = count > 0 && std::popcount(found[at][i]) == static_cast<int>(count);
            if (!all || flow.tensors[outputs[at]].op >= input.op) continue;
            input.producer = outputs[at];
            input.passage = Passage::kPart;
        }
    }
    number_givens(flow);
}

}  // namespace npuscope::compare
