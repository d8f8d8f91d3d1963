#include "dumper/dump_output.h"

#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include "core/base/printable.h"

namespace npuscope::dumper {

namespace fs = std::filesystem;

namespace {

void say(const std::string& line) {
    std::fprintf(stderr, "npuscope: %s\n", line.c_str());
}

}  // namespace

DumpOutput::DumpOutput(const fs::path& wanted,
                       const dumpfile::WriterOptions& options,
                       const fs::path& golden) {
    std::string reason;
    bool is_shared = false;
    for (int number = 1;; ++number) {
        claim_.emplace(wanted, number);
        if (claim_->number() > 1 && reason.empty()) reason = "was written in this process already";
        number = claim_->number();
        if (!golden.empty() && same_file(claim_->path(), golden)) continue;
        std::string holder;
        writer_ = dumpfile::Writer::begin(fs::absolute(claim_->path()), options, holder);
        if (!writer_) {
            is_shared = true;
            if (reason.empty()) reason = holder;
            continue;
        }
        // Another process of the same job may have ended already.
        std::error_code ignored;
        if (!is_shared || !fs::exists(claim_->path(), ignored)) break;
        writer_.reset();
    }
    if (!reason.empty())
        say(in_quotes(wanted) + " " + reason + "; this dump goes to " + in_quotes(claim_->path()));
    const dumpfile::Leftover& leftover = writer_->leftover();
    if (!leftover.kept_as.empty())
        say("a dump to " + in_quotes(claim_->path()) + " was killed or failed before; its " +
            std::to_string(leftover.op_count) + " ops are kept as " + in_quotes(leftover.kept_as));
}

fs::path DumpOutput::close(bool complete, const std::string& note, bool is_estimate) {
    fs::path path = writer_->op_count() > 0 && !is_estimate ? writer_->path() : fs::path();
    writer_->close(complete, note);
    bytes_ = writer_->size();
    writer_.reset();
    if (path.empty()) return path;
    claim_->keep();
    std::error_code ignored;
    return fs::absolute(claim_->path(), ignored) == path ? claim_->path() : path;
}

void DumpOutput::abandon(const std::string& note) noexcept {
    try {
        if (writer_ && !writer_->failed()) close(false, note, false);
    } catch (const std::exception&) {
        // The error that ended the dump is the one to tell; the writer has kept what it can.
    }
    writer_.reset();
}

}  // namespace npuscope::dumper
