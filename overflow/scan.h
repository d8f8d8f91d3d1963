// Searches a recording for overflow, for the op where it began, and for where it went.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/recording/source.h"
#include "overflow/detectors/detector.h"
#include "overflow/flow.h"
#include "overflow/record.h"

namespace npuscope::overflow {

struct ScanOptions {
    double latent_binades = kLatentBinades;
    int threads = 0;  ///< 0: all cores; the result does not depend on it
    /// After each op: how many of how many are done, and its path.
    std::function<void(int64_t, int64_t, const std::string&)> on_op = {};
};

/// A floating-point tensor in which a detector found something.
struct ScannedTensor {
    std::string path;  ///< below the op: "output/result"
    DType dtype = DType::kFloat32;
    Shape shape;
    Subject subject;
    std::vector<Finding> findings;
};

/// One op with findings in its outputs, or an overflow in its recorded status.
struct ScannedOp {
    OverflowRecord record;   ///< `kernels`: all that the op launched
    bool by_status = false;  ///< else from values: then an exact 65504 counts as saturated, and
                             ///< 1/0 as overflow
    std::vector<ScannedTensor> tensors;  ///< outputs with findings; and the input named by `via`
};

struct ScanReport {
    std::filesystem::path dump;
    std::vector<ScannedOp> damaged;  ///< in the order of recording
    std::vector<ScannedOp> remarks;  ///< only latent overflow, subnormals or all zero
    int64_t ops = 0;
    int64_t ops_with_status = 0;
    std::vector<OverflowFlow> flows;  ///< from each birth on, in the order of births
    int64_t tensors = 0;              ///< floating-point tensors of the recording, not empty
    int64_t by_statistics = 0;        ///< those of which only statistics were recorded
    int64_t scanned_bytes = 0;
    bool has_inputs = false;
    bool complete = true;               ///< false: the recorder says that ops are missing
    std::vector<std::string> notes;     ///< on the recording, in its reader's words
    int64_t unreadable = 0;             ///< objects and tensors that could not be read
    std::vector<std::string> warnings;  ///< what was left out, at most twenty of each kind
    double latent_binades = kLatentBinades;

    /// Overflow, or inf or nan that an op made, or nan anywhere in outputs. An inf that came in
    /// with an input or an argument (a mask) is none.
    [[nodiscard]] bool found() const;
    /// Where it began: the first op that introduced it, else that made inf or nan, else any.
    [[nodiscard]] const ScannedOp* first() const;
};

/// Scans every floating-point tensor of the recording, op by op in its order, msprobe's modules
/// behind what they hold.
///
/// An op's own status decides where the dump has one; elsewhere values do. Damage is followed from
/// op to op by the values of tensors (fingerprint.h), so through views that only reorder them; by
/// their statistics where those are all that was recorded.
/// Memory  of a dump one tensor at most, and none where it can be mapped; of others one op.
/// Errors  those of the source's reader, Error(kIo) when a file is cut short while it is scanned.
///         A tensor that cannot be read becomes a warning.
[[nodiscard]] ScanReport scan(const Source& source, const ScanOptions& options = {});
/// Of what open_source() opens.
[[nodiscard]] ScanReport scan_dump(const std::filesystem::path& dump,
                                   const ScanOptions& options = {});

}  // namespace npuscope::overflow
