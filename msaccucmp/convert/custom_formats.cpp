#include "msaccucmp/convert/custom_formats.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "core/base/printable.h"
#include "core/cann_dump/data_type.h"
#include "custom_algorithms/channel.h"
#include "custom_algorithms/folder.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/convert/custom_formats_text.h"

namespace npuscope::msaccucmp {

namespace {

using nlohmann::json;

constexpr const char* kPython = "/usr/bin/python3";
constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

std::string name_of(layout::Format from, layout::Format to) {
    return "convert_" + std::string(layout::name_of(from)) + "_to_" +
           std::string(layout::name_of(to));
}

[[noreturn]] void fail(const std::string& problem) {
    throw CommandError(kInvalidConvertFunction, "custom formats: " + problem);
}

/// The array types of dumps are all that a result can be.
const cann_dump::DataTypeInfo* type_of(const std::string& descr) {
    for (const cann_dump::DataTypeInfo& row : cann_dump::all_data_types())
        if (row.decoding == cann_dump::Decoding::kPlain && row.numpy_descr == descr) return &row;
    return nullptr;
}

}  // namespace

CustomFormats::CustomFormats(const std::filesystem::path& folder, Log& log) {
    try {
        custom_algorithms::check_scripts(folder);
    } catch (const Error& problem) {
        throw CommandError(kInvalidPath, problem.what());
    }
    json answer;
    try {
        channel_ = std::make_unique<custom_algorithms::Channel>(
            std::vector<std::string>{kPython,
                                     "-B",
                                     "-u",
                                     "-c",
                                     custom_formats_text(),
                                     std::filesystem::canonical(folder).string()});
        answer = parse_json<json>(channel_->read_line(kPatience));
    } catch (const Error& problem) {
        fail(std::string(kPython) + " with numpy is needed: " + problem.what());
    }
    if (!answer.is_object() || !answer.contains("names"))
        fail(answer.is_object() ? printable(answer.value("error", std::string("no answer")))
                                : "the Python process does not answer as it should");
    for (const json& name : answer["names"])
        names_.insert(name.get<std::string>());
    for (const json& problem : answer["problems"])
        log.warning("custom formats: " + problem.get<std::string>());
    if (names_.empty())
        log.warning("There is no usable format_convert/convert_<FROM>_to_<TO>.py in '" +
                    folder.string() + "'.");
}

CustomFormats::~CustomFormats() = default;

bool CustomFormats::converts(layout::Format from, layout::Format to) const {
    return names_.contains(name_of(from, to));
}

CustomArray CustomFormats::convert(const CustomRequest& request) {
    const std::string name = name_of(request.request.from, request.request.to);
    const json head = {{"name", name},
                       {"from", request.request.shape},
                       {"to", request.request.target},
                       {"groups", request.request.groups},
                       {"descr", request.descr},
                       {"nbytes", request.elements.size()}};
    const std::lock_guard guard(mutex_);
    if (!channel_) fail("the Python process has ended");
    CustomArray result;
    try {
        channel_->write(head.dump() + "\n", kPatience);
        channel_->write(
            {reinterpret_cast<const char*>(request.elements.data()), request.elements.size()},
            kPatience);
        const json answer = parse_json<json>(channel_->read_line(kPatience));
        if (answer.contains("error"))
            fail(name + ": " + printable(answer["error"].get<std::string>()));
        result.shape = answer.at("shape").get<layout::Dims>();
        result.descr = answer.at("descr").get<std::string>();
        const auto nbytes = answer.at("nbytes").get<uint64_t>();
        const cann_dump::DataTypeInfo* type = type_of(result.descr);
        // What is not read now would be taken for the next answer.
        if (type == nullptr) {
            channel_.reset();
            fail(name + " returned an array of dtype " + printable(result.descr) +
                 ", which no dump can have");
        }
        result.dtype_name = type->array_name;
        result.item_size = type->array_item_size;
        const auto numel = static_cast<uint64_t>(layout::checked_numel(result.shape));
        if (numel > std::numeric_limits<uint64_t>::max() / result.item_size ||
            numel * result.item_size != nbytes) {
            channel_.reset();
            fail(name + " returned an array whose size and shape differ");
        }
        result.elements.resize(static_cast<size_t>(nbytes));
        channel_->read(result.elements, kPatience);
    } catch (const json::exception&) {
        channel_.reset();
        fail("at " + name + " the Python process gives no proper answer");
    } catch (const CommandError&) {
        throw;
    } catch (const Error& problem) {
        channel_.reset();
        fail("at " + name + " " + problem.what());
    }
    return result;
}

}  // namespace npuscope::msaccucmp
