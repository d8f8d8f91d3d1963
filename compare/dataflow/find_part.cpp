#include "compare/dataflow/find_part.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <unordered_map>
#include <utility>

#include "compare/dataflow/find_columns.h"
#include "compare/dataflow/tensor_pass.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Patterns looked for of each input; a bit of a mask each.
constexpr size_t kMostPatterns = 32;
/// Fewer bits in all of them are met by chance: values of an output are alike.
constexpr double kEnoughPatternBits = 60;
/// So many are enough in outputs of so few elements.
constexpr double kEnoughInFew = 40;
constexpr int64_t kFewInOutput = 4096;
/// Elements of 16 bits, of which a large tensor holds every one, are looked for in runs.
constexpr size_t kRun = 4;
constexpr int64_t kScanned = 16384;

/// Bits of an input's mask that a pattern stands for.
struct Wanted {
    uint32_t mask_index;
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
            found[wanted.mask_index] |= wanted.bit;
    }

    [[nodiscard]] bool empty() const { return wanted_.empty(); }

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
    ReleasedBehind released(elements);
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
        released.until(first + count);
    }
}

/// The last kRun values as one.
class Run {
  public:
    uint64_t add(uint64_t value) {
        last_[at_++ % kRun] = value ^ value >> 32;
        uint64_t hash = 0;
        for (size_t i = 0; i < kRun; ++i)
            hash = hash * 0x9e3779b97f4a7c15u + last_[(at_ + i) % kRun];
        return hash;
    }

  private:
    uint64_t last_[kRun] = {};
    size_t at_ = 0;
};

/// Most elements of an output that is looked for as a whole, expanded.
constexpr size_t kFewElements = 16;
/// Bits that a whole output tells by, wherever it was made, and just before.
constexpr int kEnoughWholeBits = 30;
constexpr int kEnoughNearBits = 12;
/// So many ops before at most is just before.
constexpr size_t kJustBefore = 8;

/// An input's values where there are few, each once, in the order in which they first occur.
struct FewValues {
    std::vector<uint64_t> values;
    int bits = 0;

    [[nodiscard]] bool may_be(const TracedTensor& input, const TracedTensor& output) const {
        const int64_t numel = output.content->numel;
        if (output.op >= input.op || values.empty() || std::cmp_less(numel, values.size()) ||
            std::cmp_greater(numel, kFewElements) || input.content->numel % numel != 0)
            return false;
        return bits >= kEnoughWholeBits ||
               (bits >= kEnoughNearBits && input.op - output.op <= kJustBefore);
    }
};

FewValues few_values(const ElementSource& elements) {
    FewValues few;
    for_each_value(elements, [&](uint64_t value) {
        if (few.values.size() > kFewElements) return;
        if (std::ranges::find(few.values, value) == few.values.end()) few.values.push_back(value);
    });
    if (few.values.size() < 2 || few.values.size() > kFewElements) return {};
    for (const uint64_t value : few.values)
        few.bits += told_bits(std::bit_cast<double>(value));
    return few;
}

/// What is looked for of one input.
struct Sample {
    std::vector<uint64_t> singles;
    std::vector<uint64_t> runs;
    bool narrow = false;
    bool is_short = false;  ///< of too few bits for outputs of many elements
};

std::vector<uint64_t> thinned(const std::set<uint64_t>& values) {
    std::vector<uint64_t> chosen;
    const size_t stride = (values.size() + kMostPatterns - 1) / kMostPatterns;
    size_t place = 0;
    for (const uint64_t value : values)
        if (place++ % stride == 0) chosen.push_back(value);
    return chosen;
}

/// Distinct telling values from all over the tensor, and runs within rows; none where they tell too
/// little.
Sample sample(const ElementSource& elements, bool narrow) {
    std::set<uint64_t> singles;
    std::set<uint64_t> runs;
    double bits = 0;
    int64_t at = 0;
    int64_t next = 0;
    int64_t next_run = 0;
    const int64_t step = std::max<int64_t>(1, elements.numel() / (int64_t{kMostPatterns} * 4));
    const int64_t row = elements.shape().empty() ? 1 : elements.shape().back();
    Run run;
    for_each_value(elements, [&](uint64_t value) {
        const int64_t here = at++;
        const uint64_t joined = run.add(value);
        const bool whole = here % row >= static_cast<int64_t>(kRun) - 1;
        const double number = std::bit_cast<double>(value);
        if (narrow && whole && here >= next_run && number != 0) {
            next_run = here + step;
            runs.insert(joined);
        }
        const int told = narrow && number != 0 ? 8 : told_bits(number);
        if (here < next || told == 0 || singles.size() == kMostPatterns * 4) return;
        next = here + step;
        if (singles.insert(value).second) bits += told;
    });
    const bool is_short = bits < kEnoughPatternBits;
    if (bits < kEnoughInFew || (is_short && narrow)) return {};
    return {thinned(singles), thinned(runs), narrow, is_short};
}

/// All inputs' patterns. Of input i masks 2i are its single values, 2i + 1 its runs.
struct Searched {
    std::vector<Sample> samples;
    Patterns singles;
    Patterns runs;

    void prepare() {
        for (size_t at = 0; at < samples.size(); ++at) {
            const auto index = static_cast<uint32_t>(2 * at);
            for (size_t i = 0; i < samples[at].singles.size(); ++i)
                singles.add(samples[at].singles[i], {index, uint32_t{1} << i});
            for (size_t i = 0; i < samples[at].runs.size(); ++i)
                runs.add(samples[at].runs[i], {index + 1, uint32_t{1} << i});
        }
    }

    [[nodiscard]] std::vector<uint32_t> find_in(const ElementSource& elements) const {
        std::vector<uint32_t> found(2 * samples.size());
        Run run;
        for_each_value(elements, [&](uint64_t value) {
            singles.mark(value, found);
            if (!runs.empty()) runs.mark(run.add(value), found);
        });
        return found;
    }

    [[nodiscard]] static bool all(uint32_t mask, const std::vector<uint64_t>& values) {
        return !values.empty() && std::popcount(mask) == static_cast<int>(values.size());
    }

    /// Takes the output for the input's producer unless a surer one is known.
    void join(const std::vector<uint32_t>& found,
              size_t at,
              size_t output,
              int64_t numel,
              TracedTensor& input) const {
        if (!all(found[2 * at], samples[at].singles)) return;
        if (samples[at].is_short && numel > kFewInOutput) return;
        const bool sure = !samples[at].narrow || all(found[2 * at + 1], samples[at].runs);
        if (!sure && input.producer && !input.ambiguous) return;
        input.producer = output;
        input.passage = Passage::kPart;
        input.ambiguous = !sure;
    }
};

bool is_narrow(const TracedTensor& input) {
    return input.content->fits_half || input.content->fits_bfloat;
}

/// Whether the input was there before an output: an earlier op was given the same elements. What
/// holds a bias because it added that to zeros did not make it.
bool was_there(const Dataflow& flow, size_t input, size_t output) {
    const std::optional<size_t> given = flow.tensors[input].given;
    return given && *given != input && flow.tensors[*given].content->tells_order() &&
           flow.tensors[*given].op <= flow.tensors[output].op;
}

/// Inputs that are a small output, expanded: too few values to be told a part of anything, but all
/// of one output's, some of which may be equal. The latest such is the producer.
void find_expanded(const Source& source,
                   Dataflow& flow,
                   const std::vector<size_t>& inputs,
                   int threads) {
    std::vector<FewValues> few(inputs.size());
    for_each_traced(source, flow, inputs, threads, [&](size_t at, const ElementSource& elements) {
        few[at] = few_values(elements);
    });
    std::vector<size_t> outputs;
    for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const TracedTensor& output = flow.tensors[i];
        if (output.direction != Direction::kOutput || !output.content) continue;
        for (size_t at = 0; at < inputs.size(); ++at)
            if (few[at].may_be(flow.tensors[inputs[at]], output)) {
                outputs.push_back(i);
                break;
            }
    }
    std::vector<std::vector<uint64_t>> made(outputs.size());
    for_each_traced(source, flow, outputs, threads, [&](size_t at, const ElementSource& elements) {
        for_each_value(elements, [&](uint64_t value) {
            if (std::ranges::find(made[at], value) == made[at].end()) made[at].push_back(value);
        });
    });
    for (size_t at = 0; at < outputs.size(); ++at)
        for (size_t i = 0; i < inputs.size(); ++i) {
            TracedTensor& input = flow.tensors[inputs[i]];
            if (!few[i].may_be(input, flow.tensors[outputs[at]]) || few[i].values != made[at] ||
                was_there(flow, inputs[i], outputs[at]))
                continue;
            input.producer = outputs[at];
            input.passage = Passage::kPart;
        }
}

}  // namespace

void find_parts(const Source& source,
                Dataflow& flow,
                const std::vector<size_t>& inputs,
                int threads) {
    std::vector<size_t> open;
    size_t last = 0;
    for (const size_t input : inputs) {
        if (flow.tensors[input].producer || !flow.tensors[input].content) continue;
        open.push_back(input);
        last = std::max(last, flow.tensors[input].op);
    }
    if (open.empty()) return;
    find_columns(source, flow, open, threads);
    find_expanded(source, flow, open, threads);
    std::erase_if(open, [&](size_t input) { return flow.tensors[input].producer.has_value(); });
    Searched searched;
    searched.samples.resize(open.size());
    for_each_traced(source, flow, open, threads, [&](size_t at, const ElementSource& elements) {
        searched.samples[at] = sample(elements, is_narrow(flow.tensors[open[at]]));
    });
    searched.prepare();
    std::vector<size_t> outputs;
    for (size_t i = 0; i < flow.first[last]; ++i)
        if (flow.tensors[i].direction == Direction::kOutput && flow.tensors[i].content)
            outputs.push_back(i);
    std::vector<std::vector<uint32_t>> found(outputs.size());
    for_each_traced(source, flow, outputs, threads, [&](size_t at, const ElementSource& elements) {
        found[at] = searched.find_in(elements);
    });
    for (size_t at = 0; at < outputs.size(); ++at)
        for (size_t i = 0; i < open.size() && !found[at].empty(); ++i)
            if (flow.tensors[outputs[at]].op < flow.tensors[open[i]].op &&
                !was_there(flow, open[i], outputs[at]))
                searched.join(found[at],
                              i,
                              outputs[at],
                              flow.tensors[outputs[at]].content->numel,
                              flow.tensors[open[i]]);
    number_givens(flow);
}

}  // namespace npuscope::compare
