#include "compare/relate/joined_ranks.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "compare/relate/sketch.h"
#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "core/recording/joined.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Copies on several ranks are no farther apart; mostly they are equal to the bit.
constexpr double kSame = 1e-3;
/// Of two ranks, given the same: farther apart they may have been given different shares of it.
constexpr double kMaybeShares = 1.2;

/// One tensor of all ranks.
struct Slot {
    Direction direction = Direction::kOutput;
    Shape shape{};
    bool is_float = true;
    std::vector<RecordedPlace> of{};  ///< empty where a rank lacks it, or has it in another shape
    std::vector<Sketch> sketches{};
    std::vector<RecordedPlace> alone{};  ///< where it is in some ranks only
};

/// The same run of an op on all ranks: the numbers of ranks, and the op of each.
using Runs = std::vector<std::pair<size_t, size_t>>;

std::vector<Runs> runs_of(const Source& source, size_t& ranks) {
    std::map<std::string, size_t, std::less<>> numbers;
    std::map<std::pair<std::string, std::string>, size_t> counts;
    std::map<std::pair<std::string, size_t>, size_t> known;
    std::vector<Runs> runs;
    for (size_t op = 0; op < source.ops.size(); ++op) {
        const std::string rank(rank_of_path(source.ops[op].path));
        const size_t number = numbers.try_emplace(rank, numbers.size()).first->second;
        const std::string& name = source.ops[op].id.op;
        const size_t run = counts[{rank, name}]++;
        const auto [at, is_new] = known.try_emplace({name, run}, runs.size());
        if (is_new) runs.emplace_back();
        runs[at->second].emplace_back(number, op);
    }
    ranks = numbers.contains("") ? 0 : numbers.size();
    for (Runs& each : runs)
        std::ranges::sort(each);
    return runs;
}

std::vector<Slot> slots_of(const Source& source, const Runs& runs, size_t ranks) {
    std::vector<Slot> slots;
    std::map<std::tuple<Direction, std::string, size_t>, size_t> known;
    for (const auto& [rank, op] : runs) {
        const std::vector<SourceTensor> tensors = source.ops[op].load();
        std::map<std::pair<Direction, std::string>, size_t> counts;
        for (size_t number = 0; number < tensors.size(); ++number) {
            const SourceTensor& tensor = tensors[number];
            if (!tensor.open) continue;
            const size_t count = counts[{tensor.direction, tensor.argument}]++;
            const auto [at, is_new] =
                known.try_emplace({tensor.direction, tensor.argument, count}, slots.size());
            if (is_new)
                slots.push_back({.direction = tensor.direction,
                                 .shape = tensor.shape,
                                 .is_float = is_float(
                                     dtype_from_name(tensor.dtype).value_or(DType::kFloat32))});
            Slot& slot = slots[at->second];
            slot.alone.push_back({op, number});
            if (tensor.shape != slot.shape) continue;
            try {
                slot.sketches.push_back(sketch_of(*tensor.open()));
                slot.of.push_back({op, number});
            } catch (const Error&) {
                // It is told where it is compared.
            }
        }
    }
    for (Slot& slot : slots) {
        if (slot.of.size() == ranks) {
            slot.alone.clear();
        } else {
            slot.of.clear();
            slot.sketches.clear();
        }
    }
    return slots;
}

bool are_same(const Sketch& one, const Sketch& other) {
    return one.sequence == other.sequence ||
           (one.nonfinite == other.nonfinite && distance_of(one, other, kSame) <= kSame);
}

/// Whether most ranks hold the same; which of them is the first that does.
bool is_copied(const std::vector<Sketch>& sketches, size_t& first) {
    for (size_t i = 0; 2 * i < sketches.size(); ++i) {
        const auto alike = std::ranges::count_if(
            sketches, [&](const Sketch& other) { return are_same(sketches[i], other); });
        first = i;
        if (2 * static_cast<size_t>(alike) > sketches.size()) return true;
    }
    return false;
}

/// What the slots are, op by op: copies make copies.
class Forms {
  public:
    /// Of an op's slots, the inputs first.
    std::vector<std::vector<RankGroup>> of(const std::vector<Slot>& slots) {
        std::vector<std::vector<RankGroup>> forms;
        bool of_copies = false;
        bool of_shares = false;
        for (const Slot& slot : slots) {
            std::vector<RankGroup>& found = forms.emplace_back();
            for (const RecordedPlace& each : slot.alone)
                found.push_back({.of = {each}});
            if (slot.of.empty()) continue;
            const bool is_input = slot.direction == Direction::kInput;
            const std::vector<std::optional<bool>> held =
                is_input ? find(slot) : std::vector<std::optional<bool>>();
            const auto known = static_cast<size_t>(
                std::ranges::count_if(held, [](const auto& each) { return each.has_value(); }));
            if (known > 0 && known < held.size()) {
                add_odd(slot, held, found);
                of_shares = true;
                continue;
            }
            const bool of_copied =
                known > 0 && std::ranges::count(held, std::optional(true)) == std::ssize(held);
            size_t shown = 0;
            const bool all_alike = is_copied(slot.sketches, shown);
            const bool are_copies = all_alike || of_copied ||
                                    (!is_input && of_copies && !of_shares && slot.of.size() == 2);
            if (is_input) (are_copies ? of_copies : of_shares) = true;
            if (all_alike) {
                found.push_back({RankForm::kCopy, shown, slot.of});
            } else {
                add_forms(slot, are_copies, is_input && known == 0, found);
            }
            if (!is_input) keep(slot, are_copies);
        }
        return forms;
    }

  private:
    static void add_forms(const Slot& slot,
                          bool are_copies,
                          bool is_given,
                          std::vector<RankGroup>& found) {
        const bool are_two = slot.of.size() == 2;
        if (are_two && !is_given)
            for (const size_t shown : {0U, 1U})
                found.push_back({RankForm::kMaybeCopy, shown, slot.of});
        const bool are_near =
            are_two && distance_of(slot.sketches[0], slot.sketches[1], 4) < kMaybeShares;
        if (are_copies && are_near) return;
        found.push_back({RankForm::kShards, 0, slot.of});
        if (!are_copies && slot.is_float) found.push_back({RankForm::kTerms, 0, slot.of});
    }

    static uint64_t key(const Sketch& sketch, uint64_t hash) {
        return hash ^ (static_cast<uint64_t>(sketch.numel) * 0xD6E8FEB86659FD93U);
    }
    void keep(const Slot& slot, bool are_copies) {
        for (const Sketch& sketch : slot.sketches) {
            copied_[key(sketch, sketch.sequence)] = are_copies;
            if (sketch.told) copied_[key(sketch, sketch.bag)] = are_copies;
        }
    }
    /// Of each rank whether the earlier result that it holds is a copy; empty where there is none.
    [[nodiscard]] std::vector<std::optional<bool>> find(const Slot& slot) const {
        std::vector<std::optional<bool>> copied;
        for (const Sketch& sketch : slot.sketches) {
            auto found = copied_.find(key(sketch, sketch.sequence));
            if (found == copied_.end() && sketch.told)
                found = copied_.find(key(sketch, sketch.bag));
            copied.push_back(found == copied_.end() ? std::nullopt : std::optional(found->second));
        }
        return copied;
    }
    /// What some ranks alone are given where others take in an earlier result: no share of it.
    static void add_odd(const Slot& slot,
                        const std::vector<std::optional<bool>>& held,
                        std::vector<RankGroup>& found) {
        for (size_t rank = 0; rank < held.size(); ++rank)
            if (!held[rank]) found.push_back({.of = {slot.of[rank]}});
    }

    std::unordered_map<uint64_t, bool> copied_;  ///< results, by what they hold
};

Tensor read_whole(const Source& source, const RecordedPlace& place) {
    const std::vector<SourceTensor> tensors = source.ops[place.op].load();
    if (place.number >= tensors.size() || !tensors[place.number].open)
        throw Error(ErrorKind::kIo, source.ops[place.op].path + ": a tensor is not there any more");
    return tensors[place.number].open()->whole();
}

Tensor side_by_side(const Source& source, const RankGroup& group) {
    std::vector<Tensor> parts;
    for (const RecordedPlace& place : group.of)
        parts.push_back(read_whole(source, place));
    Shape shape = parts.front().shape();
    shape.insert(shape.begin(), static_cast<int64_t>(parts.size()));
    Tensor whole(parts.front().dtype(), shape);
    std::byte* to = whole.mutable_data();
    for (const Tensor& part : parts) {
        std::memcpy(to, part.data(), part.nbytes());
        to += part.nbytes();
    }
    return whole;
}

Tensor added_up(const Source& source, const RankGroup& group) {
    std::vector<double> sum;
    Shape shape;
    for (const RecordedPlace& place : group.of) {
        const Tensor term = read_whole(source, place).cast(DType::kFloat64);
        shape = term.shape();
        sum.resize(static_cast<size_t>(term.numel()), 0);
        std::ranges::transform(sum, term.as<double>(), sum.begin(), std::plus<>());
    }
    Tensor total(DType::kFloat32, shape);
    std::ranges::transform(sum, total.mutable_as<float>().begin(), [](double each) {
        return static_cast<float>(each);
    });
    return total;
}

SourceTensor tensor_of(const Source& source,
                       const std::vector<SourceTensor>& loaded,
                       const RankGroup& group) {
    SourceTensor tensor = loaded[group.of[group.shown].number];
    if (group.form == RankForm::kAlone) return tensor;
    tensor.path = std::string(path_in_rank(tensor.path));
    if (group.form == RankForm::kCopy || group.form == RankForm::kMaybeCopy) return tensor;
    tensor.storage.reset();
    tensor.hash.clear();
    if (group.form == RankForm::kShards) {
        tensor.shape.insert(tensor.shape.begin(), static_cast<int64_t>(group.of.size()));
        tensor.open = [&source, group] {
            return std::make_unique<TensorElements>(side_by_side(source, group));
        };
    } else {
        tensor.dtype = name_of(DType::kFloat32);
        tensor.open = [&source, group] {
            return std::make_unique<TensorElements>(added_up(source, group));
        };
    }
    return tensor;
}

SourceOp joined_op(const Source& source, const Runs& runs, const std::vector<RankGroup>& groups) {
    SourceOp op = source.ops[runs.front().second];
    op.path = std::string(path_in_rank(op.path));
    op.load = [&source, groups] {
        std::map<size_t, std::vector<SourceTensor>> loaded;
        std::vector<SourceTensor> tensors;
        for (const RankGroup& group : groups) {
            const size_t shown = group.of[group.shown].op;
            if (!loaded.contains(shown)) loaded[shown] = source.ops[shown].load();
            tensors.push_back(tensor_of(source, loaded[shown], group));
        }
        return tensors;
    };
    return op;
}

}  // namespace

std::optional<JoinedRanks> join_by_rank(const Source& source, int threads) {
    size_t ranks = 0;
    const std::vector<Runs> runs = runs_of(source, ranks);
    if (ranks < 2) return std::nullopt;
    std::vector<std::vector<Slot>> slots(runs.size());
    std::mutex mutex;
    parallel_for(static_cast<int64_t>(runs.size()), threads, [&](int64_t index) {
        const auto op = static_cast<size_t>(index);
        try {
            slots[op] = slots_of(source, runs[op], ranks);
        } catch (const Error&) {
            slots[op].clear();
        }
        const std::lock_guard guard(mutex);
        if (source.release) source.release();
    });
    JoinedRanks joined;
    joined.program.numbered = source.numbered;
    joined.program.release = source.release;
    Forms forms;
    for (size_t op = 0; op < runs.size(); ++op) {
        std::vector<RankGroup> groups;
        for (std::vector<RankGroup>& each : forms.of(slots[op]))
            std::ranges::move(each, std::back_inserter(groups));
        joined.program.ops.push_back(joined_op(source, runs[op], groups));
        joined.tensors.push_back(std::move(groups));
    }
    return joined;
}

}  // namespace npuscope::compare
