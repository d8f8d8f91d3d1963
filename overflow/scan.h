// Searches an existing dump for overflow, and for the op where it began.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/dumpfile/layout.h"
#include "core/dumpfile/reader.h"
#include "overflow/detectors/detector.h"
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
    std::vector<ScannedOp> damaged;  ///< in seqid order
    std::vector<ScannedOp> remarks;  ///< only latent overflow, subnormals or all zero
    int64_t ops = 0;
    int64_t ops_with_status = 0;
    int64_t tensors = 0;  ///< floating-point tensors in the file, not empty
    int64_t scanned_bytes = 0;
    bool has_inputs = false;
    std::string incompleteness;  ///< why ops are missing, in the dump's own words; "" when none
    int64_t unreadable = 0;
    std::vector<std::string> warnings;  ///< what was left out, at most twenty of each kind
    double latent_binades = kLatentBinades;

    /// Overflow, or inf or nan that an op made, or nan anywhere in outputs. An inf that came in
    /// with an input or an argument (a mask) is none.
    [[nodiscard]] bool found() const;
    /// Where it began: the first op that introduced it, else that made inf or nan, else any.
    [[nodiscard]] const ScannedOp* first() const;
};

/// Scans every floating-point tensor of the dump in seqid order.
///
/// An op's own status decides where the dump has one; elsewhere values do. Damage is followed from
/// op to op by the values of tensors (fingerprint.h), so through views that only reorder them.
/// Memory  one tensor at most, and none where the file can be mapped.
/// Errors  Error(kIo|kFormat) of the reader, Error(kIo) when the file is cut short while it is
///         scanned. A tensor that cannot be read becomes a warning.
[[nodiscard]] ScanReport scan_dump(const std::filesystem::path& dump,
                                   const ScanOptions& options = {});

}  // namespace npuscope::overflow
