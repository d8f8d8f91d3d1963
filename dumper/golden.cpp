#include "dumper/golden.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/dumpfile/facts.h"
#include "core/naming/aliases.h"
#include "dumper/given_inputs.h"

namespace npuscope::dumper {

namespace {

using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;

bool is_integer_index(DType dtype) {
    return dtype == DType::kInt32 || dtype == DType::kInt64;
}

bool same_dtype(DType a, DType b) {
    return a == b || (is_integer_index(a) && is_integer_index(b));
}

std::string shown(DType dtype, const Shape& shape) {
    return std::string(name_of(dtype)) + " " + to_string(shape);
}

std::string canonical(const Alias* alias, const std::string& argument) {
    return std::string(canonical_argument(alias, argument));
}

/// What keeps a golden run from standing for an op.
struct Misfit {
    std::string text;    ///< "argument 'self': float32 [3] here, float32 [4] in the golden"
    std::string number;  ///< the argument, where all tensors fit
};

/// The arguments of one running op against those of one golden run.
class Fit {
  public:
    Fit(const dumpfile::Reader& reader, std::string_view running_op, const OpEntry& run)
        : reader_(reader),
          run_(run),
          running_alias_(find_alias(running_op)),
          by_alias_(run.id.op != running_op) {
        const Alias* alias = find_alias(run.id.op);
        for (const Entry& entry : run.entries)
            if (entry.direction == Direction::kInput)
                inputs_.emplace(by_alias_ ? canonical(alias, entry.argument) : entry.argument,
                                &entry);
    }

    /// Nothing when everything fits.
    [[nodiscard]] std::optional<Misfit> misfit(const NamedValues& values) const {
        // What needs no reading first.
        for (const bool read_values : {false, true}) {
            for (const NamedValue& item : values) {
                const std::string found = std::visit(
                    [&](const auto& value) { return difference_of(item.name, value, read_values); },
                    item.value);
                if (!found.empty())
                    return Misfit{"argument " + in_quotes(item.name) + ": " + found,
                                  read_values ? item.name : ""};
            }
        }
        return std::nullopt;
    }

    /// The golden's tensors, with their strides, and Scalars in place of the running ones. Returns
    /// the tensors' number. Adds to `given` what the program was given and is not the golden's.
    int64_t load(NamedValues& values,
                 const ComputedHere& computed_here,
                 std::vector<GivenDifference>& given) const {
        const Loading loading{run_.facts(), computed_here, given};
        int64_t count = 0;
        for (NamedValue& item : values) {
            if (auto* tensor = std::get_if<Tensor>(&item.value)) {
                item.strides.resize(1);
                count += load_tensor(loading, item.name, *tensor, item.strides[0]);
            } else if (auto* list = std::get_if<TensorList>(&item.value)) {
                item.strides.resize(list->size());
                for (size_t i = 0; i < list->size(); ++i)
                    count += load_tensor(
                        loading, element_path(item.name, i), (*list)[i], item.strides[i]);
            } else if (auto* scalar = std::get_if<Scalar>(&item.value)) {
                if (const Entry* entry = find(item.name)) load_scalar(loading, *entry, *scalar);
            }
        }
        return count;
    }

  private:
    struct Loading {
        dumpfile::OpFacts facts;
        const ComputedHere& computed_here;
        std::vector<GivenDifference>& given;
    };

    static std::string element_path(const std::string& name, size_t index) {
        return name + "/" + name + "_" + std::to_string(index);
    }
    [[nodiscard]] const Entry* find(const std::string& argument) const {
        const auto found = inputs_.find(by_alias_ ? canonical(running_alias_, argument) : argument);
        return found == inputs_.end() ? nullptr : found->second;
    }
    [[nodiscard]] std::string missing() const { return "the golden run has no such argument"; }

    [[nodiscard]] std::string tensor_difference(const std::string& path,
                                                const Tensor& tensor) const {
        const Entry* entry = find(path);
        if (entry == nullptr) return missing();
        const auto dtype = entry->dtype();
        if (!entry->is_tensor() || !dtype) return "the golden's is no tensor";
        if (entry->stored.shape == tensor.shape() && same_dtype(*dtype, tensor.dtype())) return {};
        return shown(tensor.dtype(), tensor.shape()) + " here, " +
               shown(*dtype, entry->stored.shape) + " in the golden";
    }

    /// Plain values are compared only when both sides follow one schema or both have them.
    template <class Compare>
    [[nodiscard]] std::string value_difference(const std::string& name,
                                               bool read_values,
                                               DType stored_as,
                                               Compare&& equal) const {
        const Entry* entry = find(name);
        if (entry == nullptr) return by_alias_ ? std::string() : missing();
        if (!entry->stored.dtype) return "the golden's is no number";
        const bool flag = stored_as == DType::kInt8 && *entry->stored.dtype == DType::kBool;
        if (*entry->stored.dtype != stored_as && !flag) return "the golden's is of another kind";
        if (!read_values) return {};
        return equal(reader_.read_stored(*entry)) ? std::string() : "another value in the golden";
    }

    std::string difference_of(const std::string&, const std::monostate&, bool) const { return {}; }
    std::string difference_of(const std::string&, const std::string&, bool) const { return {}; }
    std::string difference_of(const std::string&, const BoolMask&, bool) const { return {}; }
    std::string difference_of(const std::string&, const FloatList&, bool) const { return {}; }
    std::string difference_of(const std::string& name, const Tensor& tensor, bool late) const {
        return late ? std::string() : tensor_difference(name, tensor);
    }
    std::string difference_of(const std::string& name, const TensorList& list, bool late) const {
        if (late) return {};
        const auto is_element = [&](const auto& input) {
            return input.second->argument.starts_with(name + "/");
        };
        const auto there = std::count_if(inputs_.begin(), inputs_.end(), is_element);
        if (!by_alias_ && there > static_cast<int64_t>(list.size()))
            return std::to_string(list.size()) + " tensors here, " + std::to_string(there) +
                   " in the golden";
        for (size_t i = 0; i < list.size(); ++i) {
            std::string found = tensor_difference(element_path(name, i), list[i]);
            if (!found.empty()) return "element " + std::to_string(i) + ": " + found;
        }
        return {};
    }
    std::string difference_of(const std::string& name, const Scalar& scalar, bool) const {
        static constexpr DType kKinds[] = {DType::kInt64, DType::kFloat64, DType::kInt8};
        return value_difference(
            name, false, kKinds[scalar.number.index()], [](const Tensor&) { return true; });
    }
    std::string difference_of(const std::string& name, int64_t value, bool late) const {
        return value_difference(name, late, DType::kInt64, [&](const Tensor& golden) {
            return golden.numel() == 1 && golden.as<int64_t>()[0] == value;
        });
    }
    std::string difference_of(const std::string& name, double value, bool late) const {
        return value_difference(name, late, DType::kFloat64, [&](const Tensor& golden) {
            if (golden.numel() != 1) return false;
            const double other = golden.as<double>()[0];
            return other == value || (std::isnan(other) && std::isnan(value));
        });
    }
    std::string difference_of(const std::string& name, bool value, bool late) const {
        return value_difference(name, late, DType::kInt8, [&](const Tensor& golden) {
            return golden.numel() == 1 && (golden.at(0) != 0) == value;
        });
    }
    std::string difference_of(const std::string& name, const IntList& list, bool late) const {
        return value_difference(name, late, DType::kInt64, [&](const Tensor& golden) {
            const auto values = golden.as<int64_t>();
            return golden.ndim() == 1 &&
                   std::equal(values.begin(), values.end(), list.begin(), list.end());
        });
    }
    /// Programs that record ops leave dtype arguments out; the tensors' dtypes decide then.
    std::string difference_of(const std::string& name, DType value, bool late) const {
        if (find(name) == nullptr) return {};
        return value_difference(name, late, DType::kInt32, [&](const Tensor& golden) {
            const int code = info(value).dump_code;
            return golden.numel() == 1 && golden.as<int32_t>()[0] == (code == 0 ? -1 : code);
        });
    }

    int64_t load_tensor(const Loading& loading,
                        const std::string& path,
                        Tensor& tensor,
                        std::vector<int64_t>& strides) const {
        const Entry* entry = find(path);
        if (entry == nullptr || tensor.numel() == 0) return 0;
        const Tensor golden = reader_.read(*entry);
        if (loading.computed_here && !loading.computed_here(tensor)) {
            if (auto difference = given_difference(tensor, golden)) {
                difference->golden = entry->path;
                difference->input = entry->argument;
                loading.given.push_back(*std::move(difference));
            }
        }
        tensor = golden.cast(tensor.dtype());
        const auto found = loading.facts.strides.find("input/" + entry->argument);
        strides =
            found != loading.facts.strides.end() && found->second.size() == tensor.shape().size()
                ? found->second
                : std::vector<int64_t>();
        return 1;
    }
    void load_scalar(const Loading& loading, const Entry& entry, Scalar& scalar) const {
        const Tensor golden = reader_.read_stored(entry);
        if (golden.numel() != 1) return;
        const Scalar mine = scalar;
        if (std::holds_alternative<int64_t>(scalar.number))
            scalar.number = golden.as<int64_t>()[0];
        else if (std::holds_alternative<double>(scalar.number))
            scalar.number = golden.as<double>()[0];
        else
            scalar.number = golden.at(0) != 0;
        if (auto difference = number_difference(mine, scalar)) {
            difference->golden = entry.path;
            difference->input = entry.argument;
            loading.given.push_back(*std::move(difference));
        }
    }

    const dumpfile::Reader& reader_;
    const OpEntry& run_;
    const Alias* running_alias_;
    bool by_alias_;
    std::map<std::string, const Entry*> inputs_;
};

}  // namespace

Golden::Candidates& Golden::candidates_of(std::string_view op_name) {
    const auto known = candidates_.find(op_name);
    if (known != candidates_.end()) return known->second;
    Candidates found;
    // A dump's group name has no "/", so the running name is compared in its written form.
    const std::string written = dumpfile::safe_component(op_name);
    for (const OpEntry& run : reader_.ops())
        if (run.id.op == written) found.runs.push_back(&run);
    if (found.runs.empty()) {
        for (const OpEntry& run : reader_.ops())
            if (canonical_name(run.id.op) == canonical_name(op_name)) found.runs.push_back(&run);
        found.by_alias = !found.runs.empty();
    }
    return candidates_.emplace(op_name, std::move(found)).first->second;
}

const OpSource& Golden::place_of(const OpEntry& run) {
    const auto known = places_.find(&run);
    return known != places_.end() ? known->second
                                  : places_.emplace(&run, run.facts().source).first->second;
}

bool Golden::stands_elsewhere(const OpEntry& run) {
    if (place_.module.empty()) return false;
    if (!modules_) {
        modules_.emplace();
        for (const OpEntry& any : reader_.ops())
            modules_->insert(place_of(any).module);
    }
    const OpSource& theirs = place_of(run);
    if (theirs.module.empty() || !modules_->contains(place_.module)) return false;
    return theirs.module != place_.module || theirs.autograd.empty() != place_.autograd.empty();
}

std::optional<Match> Golden::replace_inputs(std::string_view op_name,
                                            NamedValues& inputs,
                                            const ComputedHere& computed_here,
                                            std::string& reason) {
    given_differences_.clear();
    differing_number_.clear();
    Candidates& candidates = candidates_of(op_name);
    if (candidates.runs.empty()) {
        reason = "the golden has no op of this name";
        return std::nullopt;
    }
    reason.clear();
    const auto is_taken = [&](const OpEntry* run) { return taken_.count(run) > 0; };
    const OpEntry* elsewhere = nullptr;
    while (candidates.first_free < candidates.runs.size() &&
           is_taken(candidates.runs[candidates.first_free]))
        ++candidates.first_free;
    for (size_t i = candidates.first_free; i < candidates.runs.size(); ++i) {
        const OpEntry* run = candidates.runs[i];
        const std::pair<std::string, int64_t> target(op_name, run->id.seqid);
        if (is_taken(run) || written_.count(target) > 0) continue;
        if (stands_elsewhere(*run)) {
            if (elsewhere == nullptr) elsewhere = run;
            continue;
        }
        const Fit fit(reader_, op_name, *run);
        if (const auto misfit = fit.misfit(inputs)) {
            const bool nearer = differing_number_.empty() && !misfit->number.empty();
            if (reason.empty() || nearer)
                reason = std::string("no run that is left fits; ") +
                         (reason.empty() ? "the first, " : "the nearest, ") +
                         printable(run->id.path()) + ", differs in " + misfit->text;
            if (nearer) differing_number_ = misfit->number;
            continue;
        }
        // All is read before anything changes.
        NamedValues loaded = inputs;
        std::vector<GivenDifference> given;
        replaced_tensors_ += fit.load(loaded, computed_here, given);
        given_differences_ = std::move(given);
        inputs = std::move(loaded);
        taken_.insert(run);
        written_.insert(target);
        reason.clear();
        differing_number_.clear();
        return Match{run->id, candidates.by_alias};
    }
    if (reason.empty() && elsewhere != nullptr)
        reason = "no run that is left is of module " + in_quotes(place_.module) + "; the first, " +
                 printable(elsewhere->id.path()) + ", is of " +
                 in_quotes(place_of(*elsewhere).module);
    if (reason.empty())
        reason = "all " + std::to_string(candidates.runs.size()) + " runs of the golden are taken";
    return std::nullopt;
}

}  // namespace npuscope::dumper
