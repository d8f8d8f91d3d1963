// The golden run of load mode: which of its runs an op corresponds to, and its inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/dumpfile/reader.h"
#include "core/event/observer.h"
#include "core/ir/op_source.h"
#include "core/ir/value.h"

namespace npuscope::dumper {

/// A tensor that no op of the program computed (a weight, a constant, an input of the model), or a
/// Scalar, that is not the golden's.
struct GivenDifference {
    std::string golden;      ///< "/addmm/17/input/mat2"
    std::string node;        ///< where the op comes from, as far as is known
    double relative = 0;     ///< max|t-g| / max|g|
    std::string relation;    ///< what it is to the golden's: "its transpose"; "" when nobody knows
    std::string input{};     ///< "mat2", as the golden calls it
    bool is_number = false;  ///< a Scalar; the relation tells both values
};

/// "it is its transpose", "off by 0.83 of its largest value".
[[nodiscard]] std::string how_it_differs(const GivenDifference& difference);

/// "/addmm/17/input/mat2 (blocks.1, net.py:20) is not the golden's: it is its transpose", "… off by
/// 0.83 of its largest value".
[[nodiscard]] std::string describe(const GivenDifference& difference);

/// Which golden run stands for a running op.
struct Match {
    OpId golden;
    bool by_alias = false;  ///< the golden run has another IR name
};

/// An op takes, of the golden's runs of its IR name (of its other names, when the golden has none
/// of its own), the first in number order that is not taken yet and whose arguments fit:
///
/// tensors         same shape and dtype, int32 and int64 being one; values are not compared
/// numbers         Scalars: same kind, the value is loaded; others: same value
/// lists, dtypes   same values
///
/// None, masks and strings are not compared. An argument that the golden run lacks makes it not
/// fit, except a plain value under another IR name, whose schema may differ.
/// Where both sides tell modules and the golden knows the running op's, a run of another module, or
/// of the other direction of the pass, does not fit either: a layer that is missing or too much
/// shifts no others.
/// Before they are replaced, tensors that were given to the program are held against the golden's:
/// integers must be equal, floats agree within four epsilons of the coarser dtype.
/// Errors: the constructor as dumpfile::Reader; replace_inputs() Error(kFormat|kIo) when the
/// golden's elements cannot be read. Threads: one.
class Golden {
  public:
    explicit Golden(const std::filesystem::path& path) : reader_(path) {}

    /// Where the op stands for which replace_inputs() is asked next.
    void stand_at(const OpSource& place) { place_ = place; }
    /// Takes the run and changes `inputs`, or leaves both alone and says in `reason` why.
    std::optional<Match> replace_inputs(std::string_view op_name,
                                        NamedValues& inputs,
                                        const ComputedHere& computed_here,
                                        std::string& reason);
    /// Of the last run that was taken.
    [[nodiscard]] const std::vector<GivenDifference>& given_differences() const {
        return given_differences_;
    }

    /// Of the last op that found no run: the number by which alone one did not fit; else "".
    [[nodiscard]] const std::string& differing_number() const { return differing_number_; }

    [[nodiscard]] int64_t replaced_tensors() const { return replaced_tensors_; }
    [[nodiscard]] const dumpfile::Reader& reader() const { return reader_; }

  private:
    struct Candidates {
        std::vector<const dumpfile::OpEntry*> runs;  ///< in number order
        bool by_alias = false;
        size_t first_free = 0;  ///< all runs before it are taken
    };
    Candidates& candidates_of(std::string_view op_name);
    /// Of a golden run, read once.
    const OpSource& place_of(const dumpfile::OpEntry& run);
    /// Whether the run certainly is of another place than the running op.
    bool stands_elsewhere(const dumpfile::OpEntry& run);

    dumpfile::Reader reader_;
    std::map<std::string, Candidates, std::less<>> candidates_;
    std::set<const dumpfile::OpEntry*> taken_;
    std::set<std::pair<std::string, int64_t>> written_;  ///< running name and golden number
    int64_t replaced_tensors_ = 0;
    std::vector<GivenDifference> given_differences_;
    std::string differing_number_;
    OpSource place_;
    std::map<const dumpfile::OpEntry*, OpSource> places_;
    std::optional<std::set<std::string>> modules_;  ///< of all runs; empty: not read yet
};

}  // namespace npuscope::dumper
