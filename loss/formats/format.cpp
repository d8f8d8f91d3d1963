#include "loss/formats/format.h"

#include <array>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::loss {

namespace {
constexpr std::array kFormats = {
#define FORMAT(name) &k_##name##_format,
#include "loss/formats/formats.def"
#undef FORMAT
};
}  // namespace

std::span<const Format* const> all_formats() {
    return kFormats;
}

Log read_log(const std::filesystem::path& path) {
    const LogBytes bytes(path);
    Log log;
    log.path = path.string();
    log.remarks = bytes.remarks();
    for (const Format* format : kFormats) {
        LogBuilder records;
        if (!format->read(bytes, records, log)) continue;
        log.format = format->name;
        records.finish(log);
        if (log.of(Quantity::kLoss).empty()) break;
        return log;
    }
    throw Error(ErrorKind::kFormat,
                in_quotes(path) +
                    " tells no loss; a line needs its number behind a word, such as 'step 10 loss "
                    "2.31', a table its name in the first line");
}

}  // namespace npuscope::loss
