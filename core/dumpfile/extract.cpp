#include "core/dumpfile/extract.h"

#include <set>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/dumpfile/paths.h"
#include "core/h5/append_writer.h"
#include "core/h5/h5.h"
#include "core/h5/index.h"
#include "core/h5/raw_copy.h"

namespace npuscope::dumpfile {

namespace fs = std::filesystem;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Plain paths instead of globs, each once, in the order given.
Pairs resolved(const h5::Index& source, const fs::path& input, const std::vector<Copy>& copies) {
    Pairs pairs;
    std::set<std::pair<std::string, std::string>> known;
    for (const Copy& copy : copies) {
        const std::string from = normalised_path(copy.from);
        const std::string to = normalised_path(copy.to);
        if (from == "/" || to == "/")
            throw Error(ErrorKind::kUsage, "give a path below / to copy, such as /op/seqid");
        const std::vector<std::string> found = matching_paths(source, from);
        if (found.empty())
            throw Error(ErrorKind::kUsage,
                        in_quotes(from) + " matches nothing in " + in_quotes(input) +
                            nearest_paths(source, from));
        const bool is_glob = found.size() > 1 || found.front() != from;
        if (is_glob && from != to)
            throw Error(ErrorKind::kUsage,
                        "what " + in_quotes(from) + " matches is copied to the same place; give " +
                            "the same pattern as the target instead of " + in_quotes(to));
        for (const std::string& path : found) {
            std::pair<std::string, std::string> pair(path, is_glob ? path : to);
            if (known.insert(pair).second) pairs.push_back(std::move(pair));
        }
    }
    return pairs;
}

/// What describes the run; whether it is complete is no longer known of a part of it.
std::vector<h5::Attribute> run_facts(const h5::Index& source, const fs::path& input) {
    std::vector<h5::Attribute> facts;
    for (const std::string_view name : source.attribute_names(0)) {
        if (name == "Complete" || name == "Note") continue;
        if (const auto text = source.text(0, name))
            facts.push_back({std::string(name), std::string(*text)});
    }
    facts.push_back({"ExtractedFrom", input.filename().string()});
    return facts;
}

[[noreturn]] void refuse_taken(const std::string& to, const fs::path& output) {
    throw Error(ErrorKind::kUsage,
                in_quotes(to) + " is in " + in_quotes(output) +
                    " already; remove that file or choose another target");
}

/// Whether a target lies in another one, which the append-only writer cannot add to any more.
bool has_nested_targets(const Pairs& pairs) {
    std::set<std::string> targets;
    for (const auto& [from, to] : pairs)
        targets.insert(to);
    for (const std::string& target : targets)
        for (size_t slash = target.rfind('/'); slash > 0 && slash != std::string::npos;
             slash = target.rfind('/', slash - 1))
            if (targets.contains(target.substr(0, slash))) return true;
    return false;
}

using Step = std::function<void()>;

/// Copies byte by byte into a new file. False when only the library can copy some of it.
bool copied_raw(const h5::Reader& source,
                PendingFile& pending,
                const fs::path& output,
                const std::vector<h5::Attribute>& facts,
                const Pairs& pairs,
                const Step& between_steps) {
    if (has_nested_targets(pairs)) return false;
    try {
        h5::AppendWriter target(h5::output_to(pending), {.root_attributes = facts});
        h5::RawCopy raw(source, target);
        for (const auto& [from, to] : pairs) {
            if (between_steps) between_steps();
            if (target.exists(to)) refuse_taken(to, output);
            raw.copy(from, to);
        }
        raw.require_intact();
        target.close();
        return true;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUnsupported) throw;
        return false;
    }
}

}  // namespace

int64_t extract(const fs::path& input,
                const fs::path& output,
                const std::vector<Copy>& copies,
                const std::function<void(const std::string& from, const std::string& to)>& on_copy,
                const Step& between_steps) {
    const h5::Reader source(input);
    std::error_code failure;
    const bool existing = fs::exists(output, failure);
    if (existing && fs::equivalent(input, output, failure))
        throw Error(ErrorKind::kUsage,
                    "input and output are one file, " + in_quotes(output) +
                        "; give the output another name");
    const h5::Index index = source.index();
    const Pairs pairs = resolved(index, input, copies);
    const std::vector<h5::Attribute> facts = run_facts(index, input);
    PendingFile pending(output);
    const fs::path& part = pending.part_path();
    if (existing) {
        require_regular_file(output, "output");
        if (!fs::copy_file(output, part, fs::copy_options::overwrite_existing, failure))
            throw Error(ErrorKind::kIo,
                        "cannot copy " + in_quotes(output) + " to add to it: " + failure.message());
    }
    if (existing || !copied_raw(source, pending, output, facts, pairs, between_steps)) {
        if (between_steps) between_steps();
        const std::string taken =
            source.copy_to(part, existing, existing ? std::vector<h5::Attribute>() : facts, pairs);
        if (!taken.empty()) refuse_taken(taken, output);
    }
    pending.commit();
    if (on_copy)
        for (const auto& [from, to] : pairs)
            on_copy(from, to);
    return static_cast<int64_t>(pairs.size());
}

std::vector<Copy> failed_ops(const fs::path& verdicts) {
    const auto wrong = [&](const std::string& reason) {
        throw Error(ErrorKind::kFormat,
                    in_quotes(verdicts) + " is no comparison report: " + reason);
    };
    const auto report = parse_json<nlohmann::json>(read_text_file(verdicts));
    if (report.is_discarded()) wrong("it is no JSON, nested too deeply or has too many values");
    if (!report.is_object() || !report.contains("ops") || !report["ops"].is_array())
        wrong("it has no list \"ops\"");
    std::vector<Copy> copies;
    for (const auto& op : report["ops"]) {
        if (!op.is_object() || !op.contains("path") || !op["path"].is_string() ||
            !op.contains("verdict") || !op["verdict"].is_string())
            wrong("an op lacks its path or verdict");
        if (op["verdict"] != "fail") continue;
        const auto path = op["path"].get<std::string>();
        copies.push_back({path, path});
    }
    if (copies.empty())
        throw Error(ErrorKind::kUsage,
                    "no op failed in " + in_quotes(verdicts) + "; nothing is to be copied");
    return copies;
}

}  // namespace npuscope::dumpfile
