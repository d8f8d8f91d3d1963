#include "msaccucmp/kernel_dumps/reading.h"

#include <cstring>

#include "core/cann_dump/dump_error.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/base/paths.h"

namespace npuscope::msaccucmp {

namespace {

/// The reference tool reads the two shortest exponents of hifloat8 with fractions one and two bits
/// too long, which swallow a bit of the prefix: 0x08, which is 1, becomes 1.25.
double reference_hifloat8(unsigned code) {
    const double sign = (code & 0x80u) != 0 ? -1.0 : 1.0;
    const unsigned rest = code & 0x7fu;
    if (rest >= 0x10u) return sign * 0.5 * (1.0 + (rest & 15u) / 16.0);
    return sign * (1.0 + rest / 32.0);
}

}  // namespace

void decode_as_the_reference(const cann_dump::DataTypeInfo& type,
                             const std::byte* stored,
                             size_t count,
                             std::byte* array) {
    cann_dump::decode_elements(type, stored, count, array);
    if (type.decoding != cann_dump::Decoding::kHiFloat8) return;
    for (size_t i = 0; i < count; ++i) {
        const auto code = std::to_integer<unsigned>(stored[i]);
        if ((code & 0x7fu) < 0x08u || (code & 0x7fu) >= 0x20u) continue;
        const double value = reference_hifloat8(code);
        std::memcpy(array + i * sizeof value, &value, sizeof value);
    }
}

DumpFolder open_folder(const std::string& path, const DumpFolder::Options& options, Log& log) {
    const std::filesystem::path real = canonical(path);
    require_path(real.string(), PathType::kDirectory, log);
    try {
        return DumpFolder(real, options, [&](const std::string& remark) { log.warning(remark); });
    } catch (const cann_dump::DumpError& problem) {
        throw CommandError(exit_code_of(problem), problem.what());
    }
}

DumpedOp read_newest(const FolderEntry& entry) {
    try {
        return cann_dump::read_op(entry.newest(), decode_as_the_reference);
    } catch (const Error& problem) {
        throw CompareFailure(exit_code_of(problem), problem.what());
    }
}

DumpedOp read_entry(const FolderEntry& entry, Log& log) {
    try {
        return cann_dump::read_op(
            entry,
            [&](const std::string& remark) { log.warning(remark); },
            decode_as_the_reference);
    } catch (const Error& problem) {
        throw CompareFailure(exit_code_of(problem), problem.what());
    }
}

}  // namespace npuscope::msaccucmp
