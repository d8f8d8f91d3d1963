#include "msaccucmp/kernel_dumps/ffts_slices.h"

#include <charconv>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "core/base/printable.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

using nlohmann::json;

size_t thread_of(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    const size_t last = name.rfind('.');
    const size_t before =
        last == std::string::npos || last == 0 ? std::string::npos : name.rfind('.', last - 1);
    size_t thread = 0;
    if (before != std::string::npos) {
        const char* first = name.data() + before + 1;
        const auto [end, failure] = std::from_chars(first, name.data() + last, thread);
        if (failure == std::errc() && end == name.data() + last) return thread;
    }
    throw CommandError(kInvalidPath,
                       in_quotes(name) +
                           " is a dump of an FFTS+ thread, but its name has no thread before the "
                           "last '.'");
}

/// attribute[thread][tensor][dim] = {"lower": a, "higher": b}
std::vector<layout::Dims> slices(const json& attribute, const char* key, size_t thread) {
    std::vector<layout::Dims> shapes;
    const json& threads = attribute.at(key);
    if (threads.empty()) return shapes;
    for (const json& tensor : threads.at(thread)) {
        layout::Dims& shape = shapes.emplace_back();
        for (const json& range : tensor)
            shape.push_back(range.at("higher").get<int64_t>() - range.at("lower").get<int64_t>());
    }
    return shapes;
}

}  // namespace

std::optional<ThreadShapes> thread_shapes(const cann_dump::DumpFile& dump,
                                          const std::filesystem::path& path) {
    if (dump.attributes.empty()) return std::nullopt;
    const auto fail = [&](const std::string& reason) {
        throw CommandError(kInvalidDumpData,
                           "the attribute of " + in_quotes(path) +
                               " is not the JSON of an FFTS+ op: " + printable(reason));
    };
    const std::string& text = dump.attributes.front().value;
    const auto attribute = parse_json<json>(text);
    if (attribute.is_discarded()) fail(json_problem(text).reason);
    ThreadShapes shapes;
    try {
        if (!attribute.is_object() || attribute.value("threadMode", 0) == 0) return std::nullopt;
        const size_t thread = thread_of(path);
        shapes.inputs = slices(attribute, "input_tensor_slice", thread);
        shapes.outputs = slices(attribute, "output_tensor_slice", thread);
    } catch (const json::exception&) {
        fail("a value is of another kind than it should be");
    }
    const auto check = [](const char* what, size_t slices, size_t tensors) {
        if (tensors > 0 && slices != tensors)
            throw CommandError(
                kInvalidInputMapping,
                std::to_string(slices) + " slices, but " + std::to_string(tensors) + " " + what);
    };
    check("inputs", shapes.inputs.size(), dump.inputs.size());
    check("outputs", shapes.outputs.size(), dump.outputs.size());
    return shapes;
}

}  // namespace npuscope::msaccucmp
