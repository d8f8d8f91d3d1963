#include "diagnose/check/check_files.h"

#include "core/base/pending_file.h"
#include "diagnose/check/check_report.h"
#include "page/page.h"

namespace npuscope::diagnose {

std::string write_check_files(const CheckReport& report,
                              const compare::Gate* gate,
                              const std::filesystem::path& folder,
                              const std::string& command_line) {
    std::string document = to_json(report, gate);
    write_text_file(folder / "verdicts.json", document);
    page::write_page(folder / "report.html",
                     page::read_result(document, "check"),
                     {.details = {}, .command = command_line});
    return document;
}

}  // namespace npuscope::diagnose
