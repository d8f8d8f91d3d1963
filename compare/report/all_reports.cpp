#include <array>

#include "compare/report/report.h"
#include "core/base/error.h"
#include "core/base/make_folder.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"

namespace npuscope::compare {

std::span<const Report* const> all_reports() {
    static constexpr auto kReports = std::to_array<const Report*>({
#define REPORT(name) &k_##name##_report,
#include "compare/report/reports.def"
#undef REPORT
    });
    return kReports;
}

const Report& report_named(std::string_view name) {
    std::string known;
    for (const Report* report : all_reports()) {
        if (report->name == name) return *report;
        known += (known.empty() ? "" : ", ") + std::string(report->name);
    }
    throw Error(ErrorKind::kUsage,
                "there is no report " + in_quotes(name) + "; the reports are " + known);
}

void write_reports(const Result& result,
                   const ReportOptions& options,
                   const std::filesystem::path& folder) {
    make_folder(folder);
    for (const Report* report : all_reports())
        if (!report->file_name.empty())
            write_text_file(folder / report->file_name, report->write(result, options));
}

std::string_view overall_verdict(const Result& result) {
    switch (result.exit_code()) {
        case 0:
            return "pass";
        case 1:
            return "fail";
        default:
            return result.counts.tensors == 0 && !result.structure_only ? "nothing compared"
                                                                        : "undecided";
    }
}

const TensorResult* deciding_tensor(const OpResult& op) {
    for (const auto direction : {dumpfile::Direction::kOutput, dumpfile::Direction::kInput})
        for (const TensorResult& tensor : op.tensors)
            if (tensor.direction == direction && tensor.judgement.verdict == op.judgement.verdict)
                return &tensor;
    return nullptr;
}

}  // namespace npuscope::compare
