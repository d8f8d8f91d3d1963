#include "diagnose/bitwise/bitwise.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "diagnose/bitwise/equality.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Direction;

constexpr size_t kMostOthers = 10;
/// Pages of mapped files are given back after so many ops.
constexpr int64_t kBetweenReleases = 1024;

std::string place_of(const SourceOp& op) {
    if (!op.place) return {};
    const OpSource place = op.place();
    for (const std::string* text : {&place.line, &place.module, &place.node})
        if (!text->empty()) return *text;
    return {};
}

/// Both runs' tensors of one argument; nullptr where a run did not record it.
struct TensorPair {
    const SourceTensor* first = nullptr;
    const SourceTensor* other = nullptr;

    [[nodiscard]] const SourceTensor& any() const { return first != nullptr ? *first : *other; }
    [[nodiscard]] Equality equality() const {
        return first == nullptr || other == nullptr ? Equality::kDiffers
                                                    : compare_bits(*first, *other);
    }
};

std::vector<TensorPair> pairs_of(const std::vector<SourceTensor>& first,
                                 const std::vector<SourceTensor>& other) {
    std::vector<TensorPair> pairs;
    pairs.reserve(first.size());
    for (const SourceTensor& tensor : first)
        pairs.push_back({&tensor, nullptr});
    for (size_t i = 0; i < other.size(); ++i) {
        const auto fits = [&](const TensorPair& pair) {
            return pair.other == nullptr && pair.first != nullptr &&
                   pair.first->direction == other[i].direction &&
                   pair.first->argument == other[i].argument;
        };
        // Nearly always the one at the same place.
        const auto found = i < first.size() && fits(pairs[i])
                               ? pairs.begin() + static_cast<std::ptrdiff_t>(i)
                               : std::ranges::find_if(pairs, fits);
        if (found != pairs.end())
            found->other = &other[i];
        else
            pairs.push_back({nullptr, &other[i]});
    }
    return pairs;
}

const IgnoredElements* ignored_of(const TensorPair& pair) {
    for (const SourceTensor* tensor : {pair.first, pair.other})
        if (tensor != nullptr && tensor->ignored) return tensor->ignored.get();
    return nullptr;
}

/// Of a pair: the other run's tensor, with the first's elements where they are ignored.
Tensor other_with_ignored(const TensorPair& pair, const Tensor& first) {
    Tensor other = pair.other->open()->whole();
    const IgnoredElements* ignored = ignored_of(pair);
    if (ignored == nullptr) return other;
    const size_t size = size_of(other.dtype());
    std::byte* elements = other.mutable_data();
    for (const PlaceRange& range : ignored->ranges()) {
        const size_t at = static_cast<size_t>(range.first) * size;
        std::memcpy(elements + at, first.data() + at, static_cast<size_t>(range.count) * size);
    }
    return other;
}

struct OpDifferences {
    std::vector<TensorPair> inputs, results;
    bool has_inputs = false;
};

class Comparison {
  public:
    Comparison(const Source& first, const Source& other) : first_(first), other_(other) {
        // Runs of one process are numbered on.
        by_place_ = std::ranges::equal(first.ops, other.ops, {}, name_of_op, name_of_op);
        for (size_t i = 0; !by_place_ && i < other.ops.size(); ++i)
            places_.emplace(key_of_op(other.ops[i]), i);
    }

    RunAgainst run(const std::function<void(int64_t, int64_t, const std::string&)>& on_op) {
        const auto total = static_cast<int64_t>(first_.ops.size());
        for (int64_t i = 0; i < total; ++i) {
            const SourceOp& op = first_.ops[static_cast<size_t>(i)];
            if (on_op) on_op(i, total, op.path);
            const size_t partner = partner_of(op, static_cast<size_t>(i));
            if (partner == kNone) {
                ++found_.only_in_first;
                note_unpaired(op.path + " is in the first run only");
            } else {
                ++found_.ops;
                compare_op(op, other_.ops[partner], static_cast<size_t>(i));
            }
            if (i % kBetweenReleases == kBetweenReleases - 1) release();
        }
        found_.only_here = static_cast<int64_t>(other_.ops.size()) - found_.ops;
        if (found_.only_here > 0 && found_.first_unpaired.empty()) note_first_only_here();
        release();
        return std::move(found_);
    }

  private:
    static constexpr size_t kNone = SIZE_MAX;

    static const std::string& name_of_op(const SourceOp& op) { return op.id.op; }
    static std::string key_of_op(const SourceOp& op) {
        return op.id.op + '/' + std::to_string(op.id.seqid);
    }

    size_t partner_of(const SourceOp& op, size_t at) const {
        if (by_place_ || (at < other_.ops.size() && other_.ops[at].id == op.id)) return at;
        const auto found = places_.find(key_of_op(op));
        return found == places_.end() ? kNone : found->second;
    }

    void note_unpaired(std::string text) {
        if (found_.first_unpaired.empty()) found_.first_unpaired = std::move(text);
    }

    void note_first_only_here() {
        std::unordered_map<std::string, size_t> known;
        for (const SourceOp& op : first_.ops)
            known.emplace(key_of_op(op), 0);
        for (const SourceOp& op : other_.ops)
            if (!known.contains(key_of_op(op))) {
                note_unpaired(op.path + " is in the other run only");
                return;
            }
    }

    void release() const {
        for (const Source* source : {&first_, &other_})
            if (source->release) source->release();
    }

    void compare_op(const SourceOp& op, const SourceOp& partner, size_t at) {
        const std::vector<SourceTensor> first = op.load();
        const std::vector<SourceTensor> other = partner.load();
        OpDifferences differences;
        for (const TensorPair& pair : pairs_of(first, other)) {
            const bool is_input = pair.any().direction == Direction::kInput;
            differences.has_inputs = differences.has_inputs || is_input;
            const Equality equality = pair.equality();
            if (const auto* ignored = ignored_of(pair)) {
                ++found_.ignored_tensors;
                found_.ignored_elements += ignored->count();
            }
            ++(equality == Equality::kUnknown ? found_.incomparable : found_.tensors);
            if (equality == Equality::kDiffers)
                (is_input ? differences.inputs : differences.results).push_back(pair);
        }
        if (differences.inputs.empty() && differences.results.empty()) {
            ++found_.equal_ops;
            return;
        }
        if (!differences.inputs.empty())
            ++found_.inherited;
        else
            ++found_.origins;
        if (!found_.parting)
            found_.parting = parting_of(op, differences, at);
        else if (differences.inputs.empty() && found_.others.size() < kMostOthers)
            found_.others.push_back(op.path);
    }

    Parting parting_of(const SourceOp& op, const OpDifferences& differences, size_t at) const {
        Parting parting{.path = op.path, .place = place_of(op)};
        const bool by_inputs = !differences.inputs.empty();
        if (by_inputs)
            parting.by = PartedBy::kInputs;
        else if (!differences.has_inputs)
            parting.by = PartedBy::kResultsAlone;
        for (const TensorPair& pair : by_inputs ? differences.inputs : differences.results) {
            PartedTensor tensor = parted(pair);
            if (by_inputs && pair.first != nullptr) tensor.made_by = maker_of(*pair.first, at);
            parting.tensors.push_back(std::move(tensor));
        }
        if (!by_inputs && draws_numbers(op.op())) {
            parting.manner = Manner::kRandomOp;
        } else {
            // The first that tells.
            for (const PartedTensor& tensor : parting.tensors)
                if (parting.manner == Manner::kUnknown) parting.manner = tensor.difference.manner;
        }
        return parting;
    }

    static PartedTensor parted(const TensorPair& pair) {
        const SourceTensor& tensor = pair.any();
        PartedTensor found{.path = tensor.path, .dtype = tensor.dtype, .shape = tensor.shape};
        if (pair.first == nullptr || pair.other == nullptr) {
            found.other = "not recorded";
            return found;
        }
        if (tensor.dtype != pair.other->dtype || tensor.shape != pair.other->shape) {
            found.other = pair.other->dtype + to_string(pair.other->shape);
            return found;
        }
        if (!pair.first->open || !pair.other->open) return found;
        const Tensor first = pair.first->open()->whole();
        found.difference = difference_of(first, other_with_ignored(pair, first));
        return found;
    }

    /// The last op before whose result has an input's content in the first run.
    std::string maker_of(const SourceTensor& input, size_t before) const {
        for (size_t i = before; i-- > 0;)
            for (const SourceTensor& tensor : first_.ops[i].load())
                if (tensor.direction == Direction::kOutput &&
                    compare_contents(tensor, input) == Equality::kEqual)
                    return first_.ops[i].path;
        return {};
    }

    const Source& first_;
    const Source& other_;
    bool by_place_ = false;  ///< the ops have the same names in the same order
    std::unordered_map<std::string, size_t> places_;
    RunAgainst found_;
};

void take_notes(const Source& source, const std::filesystem::path& path, BitwiseReport& report) {
    for (const std::string& remark : source.remarks)
        report.notes.push_back(remark);
    if (source.left_out_count > 0)
        report.notes.push_back(in_quotes(path) + ": " + std::to_string(source.left_out_count) +
                               " objects were left out, first " + source.left_out.front());
}

}  // namespace

std::string_view key_of(PartedBy by) {
    if (by == PartedBy::kOp) return "op";
    return by == PartedBy::kInputs ? "inputs" : "results_alone";
}

bool BitwiseReport::equal() const {
    return std::ranges::all_of(runs, &RunAgainst::equal);
}

BitwiseReport compare_bitwise(
    std::span<const std::filesystem::path> paths,
    const IgnoredRegions& ignored,
    const std::function<void(int64_t, int64_t, const std::string&)>& on_op) {
    if (paths.size() < 2)
        throw Error(ErrorKind::kUsage, "runs are held against each other: name two or more");
    BitwiseReport report{.first = paths[0]};
    IgnoredTally tally(ignored);
    const auto open = [&](const std::filesystem::path& path) {
        Source source = open_source(path);
        if (!ignored.empty())
            ignore_in(source, [&](const SourceTensor& tensor) { return tally.of(tensor, ""); });
        return source;
    };
    const Source first = open(paths[0]);
    take_notes(first, paths[0], report);
    for (const std::filesystem::path& path : paths.subspan(1)) {
        const Source other = open(path);
        take_notes(other, path, report);
        RunAgainst found = Comparison(first, other).run(on_op);
        found.path = path;
        const std::string both = in_quotes(paths[0]) + " and " + in_quotes(path);
        if (found.ops == 0)
            throw Error(ErrorKind::kUsage, both + " have no op of one name and number in common");
        if (found.tensors == 0)
            throw Error(ErrorKind::kUsage,
                        both + " have no tensors with elements, or hashes of one kind, in common");
        report.runs.push_back(std::move(found));
    }
    for (std::string& note : tally.notes())
        report.notes.push_back(std::move(note));
    return report;
}

}  // namespace npuscope::diagnose
