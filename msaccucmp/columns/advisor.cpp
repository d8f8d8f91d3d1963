#include "msaccucmp/columns/advisor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "msaccucmp/base/result_file.h"

namespace npuscope::msaccucmp {

namespace {

constexpr double kGoodCosine = 0.99;

constexpr const char* kAllGood =
    "Every tensor's cosine similarity is at least 0.99. If the model's results are still wrong, "
    "look "
    "at what happens to its outputs afterwards.";
constexpr const char* kProblem =
    "Some tensors, the last one among them, have a cosine similarity below 0.99. Start at the op "
    "with this index; if the model is quantised, calibrate it again.";
constexpr const char* kHarmlessDeviation =
    "Some tensors have a cosine similarity below 0.99, but the last one does not: the deviation "
    "may "
    "come from an optimisation and have no effect on the results.";

constexpr const char* kOverflow =
    "A float16 tensor overflows. Mend that first (loss scale, higher precision), then compare "
    "again.";
constexpr const char* kInputs =
    "The model's inputs differ from the golden ones. Feed both sides the same data and look at the "
    "preprocessing.";

std::optional<size_t> column_of(const std::vector<std::string>& columns, const char* name) {
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) return std::nullopt;
    return static_cast<size_t>(at - columns.begin());
}

/// The first row of a model's input whose cosine is low, null when there is none.
const Row* first_differing_input(const std::vector<Row>& rows,
                                 size_t name_column,
                                 size_t cosine_column,
                                 const std::vector<std::string>& input_nodes) {
    for (const std::string& node : input_nodes)
        for (const Row& row : rows)
            if (row.cells[name_column] == node &&
                std::strtod(row.cells[cosine_column].c_str(), nullptr) < kGoodCosine)
                return &row;
    return nullptr;
}

}  // namespace

Advice advise(const std::vector<std::string>& columns,
              const std::vector<Row>& rows,
              Log& log,
              const std::vector<std::string>& input_nodes) {
    if (const auto overflow = column_of(columns, "OverFlow")) {
        for (const Row& row : rows)
            if (row.cells[*overflow] == "YES")
                return {
                    .type = "FP16 Overflow", .index = std::to_string(row.index), .text = kOverflow};
    } else {
        log.warning("The table has no column OverFlow; the FP16 overflow detection is skipped.");
    }
    const auto column = column_of(columns, "CosineSimilarity");
    if (!column) {
        log.warning(
            "The table has no column CosineSimilarity; the global consistency detection is "
            "skipped.");
        return {};
    }
    if (const auto names = column_of(columns, "NPUDump"))
        if (const Row* row = first_differing_input(rows, *names, *column, input_nodes))
            return {
                .type = "Input Inconsistent", .index = std::to_string(row->index), .text = kInputs};
    const Row* first_low = nullptr;
    bool any = false;
    bool last_is_low = false;
    for (const Row& row : rows) {
        const double cosine = std::strtod(row.cells[*column].c_str(), nullptr);
        if (std::isnan(cosine)) continue;
        any = true;
        last_is_low = cosine < kGoodCosine;
        if (last_is_low && first_low == nullptr) first_low = &row;
    }
    if (!any) {
        log.warning("No row has a cosine similarity; there is nothing to advise.");
        return {};
    }
    Advice advice{.type = "Global Consistency", .index = "NA", .text = kAllGood};
    if (first_low == nullptr) return advice;
    advice.index = std::to_string(first_low->index);
    advice.text = last_is_low ? kProblem : kHarmlessDeviation;
    return advice;
}

void write_advice(const Advice& advice, const std::filesystem::path& folder, Log& log) {
    const std::vector<std::string> lines = {"Detection Type: " + advice.type,
                                            "Operator Index: " + advice.index,
                                            "Expert Advice: " + advice.text};
    std::string text;
    for (const std::string& line : lines) {
        log.info(line);
        text += line + "\n";
    }
    const auto path = folder / "advisor_summary.txt";
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    ResultFile file(path);
    file.write(text);
    file.close();
    log.info("The advisor summary has been written to \"'" + path.string() + "'\".");
}

}  // namespace npuscope::msaccucmp
