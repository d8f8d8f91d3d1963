#include "compare/relate/matches.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace npuscope::compare {

namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "equal", "reshaped", "permuted", "part", "sum", "scaled", "unlike"};

bool lie_alike(const std::optional<View>& one, const std::optional<View>& other) {
    return one && other ? cover_the_same(*one, *other) : one == other;
}

template <class F>
std::vector<size_t> all_of(size_t count, F&& is_free) {
    std::vector<size_t> free;
    for (size_t i = 0; i < count; ++i)
        if (is_free(i)) free.push_back(i);
    return free;
}

}  // namespace

std::string_view name_of(RelationKind kind) {
    return kNames[static_cast<size_t>(kind)];
}

RelationKind relation_kind(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        throw Error(ErrorKind::kFormat, "there is no relation '" + std::string(name) + "'");
    return static_cast<RelationKind>(found - kNames.begin());
}

void Matches::leave_other_readings(bool of_target, size_t tensor) {
    const Listing& side = of_target ? target : golden;
    std::vector<bool>& others = of_target ? target_others_ : golden_others_;
    // They stand beside each other.
    for (size_t i = tensor; i-- > 0 && are_readings(side, tensor, i);)
        others[i] = true;
    for (size_t i = tensor + 1; i < others.size() && are_readings(side, tensor, i); ++i)
        others[i] = true;
}

void Matches::leave_out(bool of_target, size_t tensor) {
    leave_other_readings(of_target, tensor);
    (of_target ? target_others_ : golden_others_)[tensor] = true;
}

void Matches::add(TensorRelation relation) {
    leave_other_readings(true, relation.target);
    leave_other_readings(false, relation.golden);
    of_target_[relation.target] = relation.golden;
    of_golden_[relation.golden] = relation.target;
    const size_t mine = target.tensors[relation.target].twin;
    const size_t theirs = golden.tensors[relation.golden].twin;
    twins_of_target_[mine] = theirs;
    twins_of_golden_[theirs] = mine;
    relations_.push_back(std::move(relation));
}

void Matches::add_part(TensorRelation relation) {
    leave_other_readings(true, relation.target);
    leave_other_readings(false, relation.golden);
    target_parts_[relation.target] = true;
    golden_parts_[relation.golden] = true;
    if (relation.kind == RelationKind::kPart && relation.golden_view)
        wholes_of_targets_[relation.target] = golden.tensors[relation.golden].twin;
    if (relation.kind == RelationKind::kPart && relation.target_view)
        wholes_of_goldens_[relation.golden] = target.tensors[relation.target].twin;
    relations_.push_back(std::move(relation));
}

bool Matches::is_held(const TensorRelation& part) const {
    const bool part_is_target = part.golden_view.has_value();
    const size_t whole =
        part_is_target ? wholes_of_targets_[part.target] : wholes_of_goldens_[part.golden];
    const size_t own =
        part_is_target ? golden.tensors[part.golden].twin : target.tensors[part.target].twin;
    if (whole != kNoTensor && whole != own) return true;
    return std::ranges::any_of(relations_, [&](const TensorRelation& other) {
        return other.kind == RelationKind::kPart &&
               (part_is_target
                    ? other.golden == part.golden && lie_alike(other.golden_view, part.golden_view)
                    : other.target == part.target &&
                          lie_alike(other.target_view, part.target_view));
    });
}

void Matches::add_sum(TensorRelation relation) {
    if (relation.more_golden.empty()) {
        golden_parts_[relation.golden] = true;
        leave_other_readings(false, relation.golden);
    } else {
        target_parts_[relation.target] = true;
        leave_other_readings(true, relation.target);
    }
    relations_.push_back(std::move(relation));
}

std::vector<size_t> Matches::free_targets() const {
    return all_of(of_target_.size(), [&](size_t each) { return is_free_target(each); });
}

std::vector<size_t> Matches::free_goldens() const {
    return all_of(of_golden_.size(), [&](size_t each) { return is_free_golden(each); });
}

TensorRelation relation_in_order(const Matches& matches, size_t target, size_t golden) {
    const ListedTensor& mine = matches.target.tensors[target];
    const ListedTensor& theirs = matches.golden.tensors[golden];
    TensorRelation relation{.target = target, .golden = golden};
    if (mine.shape != theirs.shape) {
        relation.kind = RelationKind::kReshaped;
        relation.target_view = View{.shape = theirs.shape,
                                    .source_numel = mine.sketch.numel,
                                    .loops = {{mine.sketch.numel, 1}}};
        relation.text = to_string(mine.shape) + " as " + to_string(theirs.shape);
    }
    return relation;
}

}  // namespace npuscope::compare
