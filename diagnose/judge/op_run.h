// A recorded run of an op in memory: its row, its arguments in float64, its results as recorded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/dataflow/rebuild.h"
#include "compare/split.h"
#include "core/ir/value.h"
#include "core/recording/source.h"
#include "diagnose/judge/cut.h"
#include "diagnose/judge/recorded_op.h"
#include "npu_backend/executor.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

struct RecordedResult {
    std::string argument;  ///< as recorded
    std::string name;      ///< as the schema calls it
    Tensor elements;
    ComputeType computed_in = ComputeType::kNone;  ///< as the recording says
    /// What nobody is to look at; forms_of() puts the exact elements there.
    std::shared_ptr<const IgnoredElements> ignored{};
    std::string path{};  ///< as recorded
};

struct OpRun {
    const backend::Op* op = nullptr;
    NamedValues arguments;  ///< as recorded
    NamedValues wide;       ///< floats in float64; empty where load_run() was not to widen
    std::vector<RecordedResult> results;
    std::string path{};   ///< of the recorded op; "" of none
    NamedValues whole{};  ///< the arguments that a part was cut from; empty of a whole run
    std::optional<Cut> known_cut{};  ///< how it may be cut, proven; empty where that is not known
    /// What exact_results() computed; a run with other arguments needs another OpRun.
    mutable std::optional<std::optional<Results>> exact{};
};

/// The run as recorded, whose tensors are to be cut: not widened, nothing computed.
[[nodiscard]] OpRun to_be_cut(const OpRun& run);

/// f(inputs) in float64, computed when it is first asked for; nullptr where the op does not take
/// these arguments. Threads: one a run.
[[nodiscard]] const Results* exact_results(const OpRun& run);

/// What kind of op it is, as far as errors go.
enum class OpKind : uint8_t {
    kProduct,      ///< linear in each operand, on the Cube: matrix products
    kConvolution,  ///< likewise
    kVector,       ///< everything else that computes
    kRandom,       ///< results depend on a generator
};
[[nodiscard]] OpKind kind_of(const backend::Op& op);
/// A matrix product or a convolution.
[[nodiscard]] bool is_product(OpKind kind);

/// The run as recorded; nothing is widened. Errors: as SourceTensor::open.
[[nodiscard]] OpRun run_of(const backend::Op& op,
                           const RecordedOp& recorded,
                           NamedValues arguments);

/// What a run took in whose recording holds outputs only, or is to take in instead.
struct KnownInputs {
    /// The golden's run of the op: its numbers, and in load mode its tensors too. The run itself:
    /// it is to take in other tensors.
    const SourceOp* golden = nullptr;
    /// The tensors, by the golden's arguments; empty: the golden's own.
    std::function<std::vector<compare::RebuiltInput>()> tensors{};
    /// The run's results that lie otherwise than the golden's, by their paths: how to lay them as
    /// those.
    std::map<std::string, compare::View> views{};
};

/// Empty, with the reason in `why_not`: no such op, a random one unless `also_random`, inputs
/// neither recorded nor known. Errors: as the sources when elements cannot be read.
[[nodiscard]] std::optional<OpRun> load_run(const SourceOp& recorded,
                                            std::string& why_not,
                                            const KnownInputs& known = {},
                                            bool also_random = false,
                                            bool widen = true);

/// After what was computed of a run is known. Errors: Error(kIo) a file that holds some of it was
/// cut short meanwhile.
void require_intact(const OpRun& run);

/// Whether something of its results is ignored: a part of the run cannot stand for it.
[[nodiscard]] bool has_ignored(const OpRun& run);
/// Ignored elements of the results become f(inputs), so that nothing is wrong there.
void settle_ignored(OpRun& run);
/// Takes the ignored elements out of the counts of an error of `result`.
void leave_out_ignored(const RecordedResult& result, compare::Introduced& error);

/// Recorders leave out arguments that are words. The run in each form that its op has then; itself
/// alone where nothing is left open.
[[nodiscard]] std::vector<OpRun> forms_of(OpRun run);

/// A result is of 16 bits.
[[nodiscard]] bool gives_16_bits(const OpRun& run);
/// The run has tensors of 16 bits: what is float32 beside them was kept so, and being a number of
/// fewer bits is chance (a sum of few bits that cancels).
[[nodiscard]] bool tells_16_bits(const OpRun& run);

/// Whether it is composed of several steps and multiplies matrices in one of them.
[[nodiscard]] bool multiplies_inside(const backend::Op& op);
[[nodiscard]] bool is_of_cudnn(const backend::Op& op);

/// The run in the form that chips' kernels have whatever was asked; nothing where they do as they
/// are asked.
[[nodiscard]] std::optional<OpRun> form_on_chips(const OpRun& run);

/// The recorded result of that name; nullptr without one.
[[nodiscard]] const RecordedResult* recorded_result(const OpRun& run, const std::string& name);

/// The tensor argument of that name; nullptr without one.
[[nodiscard]] const Tensor* tensor_named(const NamedValues& values, std::string_view name);

/// The result in float64; nullptr where the op gives none of that name and `numel` elements.
[[nodiscard]] const Tensor* expected_of(const Results& results, const RecordedResult& recorded);
/// The same of exact_results().
[[nodiscard]] const Tensor* exact_result(const OpRun& run, const RecordedResult& recorded);

}  // namespace npuscope::diagnose
