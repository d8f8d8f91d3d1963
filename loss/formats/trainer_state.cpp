#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "loss/formats/format.h"
#include "loss/formats/json_record.h"

namespace npuscope::loss {

namespace {

bool read_trainer_state(const LogBytes& bytes, LogBuilder& records, Log& log) {
    const std::string_view text = bytes.text();
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' ||
        text.find("\"log_history\"") == std::string_view::npos)
        return false;
    const nlohmann::json state = parse_python_json(text);
    if (state.is_discarded())
        throw Error(ErrorKind::kFormat,
                    in_quotes(bytes.path()) +
                        " is JSON that is cut off or damaged; take the trainer_state.json of the "
                        "last whole checkpoint");
    if (!state.is_object() || !state.contains("log_history") || !state["log_history"].is_array())
        return false;
    ObjectReader reader;
    for (const nlohmann::json& entry : state["log_history"]) {
        // The run's last entry has the mean over all steps.
        if (!entry.is_object() || entry.contains("train_runtime")) continue;
        records.add(reader.read(entry));
    }
    reader.name(log);
    return true;
}

}  // namespace

const Format k_trainer_state_format = {
    "trainer_state",
    "trainer_state.json of Hugging Face's Trainer",
    "a JSON object with 'log_history'",
    read_trainer_state,
};

}  // namespace npuscope::loss
