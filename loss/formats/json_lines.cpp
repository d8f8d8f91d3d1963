#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "loss/formats/format.h"
#include "loss/formats/json_record.h"
#include "loss/lines.h"

namespace npuscope::loss {

namespace {

bool read_json_lines(const LogBytes& bytes, LogBuilder& records, Log& log) {
    MarkedLines lines(bytes.text(), "");
    ObjectReader reader;
    std::string_view line;
    size_t objects = 0;
    size_t others = 0;
    while (lines.next(line)) {
        if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) continue;
        const size_t first = line.find_first_not_of(" \t");
        const nlohmann::json entry =
            line[first] == '{' ? parse_python_json(line.substr(first)) : nlohmann::json();
        if (!entry.is_object()) {
            // Text of another kind that holds an object somewhere is another format's.
            if (++others > objects) return false;
            continue;
        }
        ++objects;
        if (!entry.contains("train_runtime")) records.add(reader.read(entry));
    }
    if (objects == 0) return false;
    if (others > 0)
        log.remarks.push_back(
            fmt::format("{} lines are no whole JSON objects (cut off?); passed over", others));
    reader.name(log);
    return true;
}

}  // namespace

const Format k_json_lines_format = {
    "json_lines",
    "trainer_log.jsonl of LLaMA-Factory, and other files of an object a line",
    "lines that are JSON objects with a loss",
    read_json_lines,
};

}  // namespace npuscope::loss
