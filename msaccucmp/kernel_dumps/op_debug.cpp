#include "msaccucmp/kernel_dumps/op_debug.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/cann_dump/op_debug.h"
#include "core/cann_dump/wire.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMagic = 0x5a5a5a5a;
constexpr size_t kNewHead = 24;  // magic, version, valid, acc_type, rsv, data_len
constexpr size_t kStatusWords = 4;

constexpr auto kCoreFields = std::to_array<const char*>({"model_id",
                                                         "stream_id",
                                                         "task_id",
                                                         "task_type",
                                                         "context_id",
                                                         "thread_id",
                                                         "pc_start",
                                                         "para_base",
                                                         "core_id",
                                                         "block_id",
                                                         "status"});
constexpr auto kSdmaFields = std::to_array<const char*>({"model_id",
                                                         "stream_id",
                                                         "task_id",
                                                         "task_type",
                                                         "context_id",
                                                         "thread_id",
                                                         "src_addr",
                                                         "dst_addr",
                                                         "channel_id",
                                                         "status"});
constexpr auto kCpuFields = std::to_array<const char*>({"model_id",
                                                        "stream_id",
                                                        "task_id",
                                                        "task_type",
                                                        "context_id",
                                                        "cpu_id",
                                                        "thread_id",
                                                        "status"});

struct Accelerator {
    const char* name;
    std::span<const char* const> fields;
};
constexpr auto kAccelerators = std::to_array<Accelerator>(
    {{"AIC", kCoreFields}, {"AIV", kCoreFields}, {"AICPU", kCpuFields}, {"SDMA", kSdmaFields}});

class Bytes {
  public:
    explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] uint64_t number(size_t at, size_t count) const {
        if (at + count > bytes_.size())
            throw CommandError(
                kInvalidDumpData,
                "op-debug data of " + std::to_string(bytes_.size()) + " bytes is cut short");
        return cann_dump::little_endian(bytes_.subspan(at, count));
    }

  private:
    std::span<const std::byte> bytes_;
};

bool is_hex(std::string_view field) {
    return field == "pc_start" || field == "para_base" || field == "src_addr" ||
           field == "dst_addr";
}

Json value_of(std::string_view field, uint64_t value) {
    return is_hex(field) ? Json(fmt::format("{:#x}", value)) : Json(value);
}

OpDebugUnit unit_of(std::string name, const Json& fields) {
    OpDebugUnit unit;
    unit.name = std::move(name);
    unit.task_id = fields.value("task_id", uint64_t{0});
    unit.stream_id = fields.value("stream_id", uint64_t{0});
    unit.has_context = fields.contains("context_id");
    unit.has_thread = fields.contains("thread_id");
    unit.context_id = fields.value("context_id", uint64_t{0});
    unit.thread_id = fields.value("thread_id", uint64_t{0});
    const Json& status = fields.at("status");
    if (!status.is_array()) {
        unit.status = std::to_string(status.get<uint64_t>());
        unit.is_overflow = status.get<uint64_t>() != 0;
        return unit;
    }
    for (const Json& word : status) {
        unit.status += (unit.status.empty() ? "" : ", ") + std::to_string(word.get<uint64_t>());
        unit.is_overflow = unit.is_overflow || word.get<uint64_t>() != 0;
    }
    unit.status = "[" + unit.status + "]";
    return unit;
}

OpDebug parse_new(const Bytes& bytes, Log& log) {
    const uint64_t version = bytes.number(4, 4);
    const uint64_t valid = bytes.number(8, 4);
    const uint64_t type = bytes.number(12, 4);
    const uint64_t data_length = bytes.number(20, 4);
    if (type >= kAccelerators.size())
        throw CommandError(kInvalidOverflowType,
                           "op-debug data names accelerator " + std::to_string(type) +
                               "; known are 0 AIC, 1 AIV, 2 AICPU, 3 SDMA");
    const Accelerator& accelerator = kAccelerators[type];
    const bool has_status_list = type < 2 && version == 1;
    if (valid != 1) log.error(fmt::format("'valid' of op-debug data is {}, not 1.", valid));
    const size_t expected =
        8 * (accelerator.fields.size() + (has_status_list ? kStatusWords - 1 : 0));
    if (data_length != expected)
        log.error(fmt::format("'data_len' of op-debug data is {}, not {}.", data_length, expected));
    Json data;
    size_t at = kNewHead;
    for (const char* field : accelerator.fields) {
        if (has_status_list && std::string_view(field) == "status") {
            Json words = Json::array();
            for (size_t i = 0; i < kStatusWords; ++i)
                words.push_back(bytes.number(at + 8 * i, 8));
            data[field] = words;
            break;
        }
        data[field] = value_of(field, bytes.number(at, 8));
        at += 8;
    }
    OpDebug parsed;
    parsed.is_new = true;
    parsed.units.push_back(unit_of(accelerator.name, data));
    Json json;
    json["magic"] = fmt::format("{:#x}", kMagic);
    json["version"] = version;
    Json& list = json["acc_list"];
    list["valid"] = valid;
    list["acc_type"] = accelerator.name;
    list["rsv"] = bytes.number(16, 4);
    list["data_len"] = data_length;
    list["data"] = std::move(data);
    parsed.json = json.dump(4);
    return parsed;
}

OpDebug parse_old(std::span<const std::byte> payload) {
    const auto record = cann_dump::OpDebugRecord::parse(payload);
    OpDebug parsed;
    const auto add = [&](const char* name, const cann_dump::OpDebugBlock& block) {
        parsed.units.push_back({.name = name,
                                .task_id = block.task_id,
                                .stream_id = block.stream_id,
                                .status = std::to_string(block.status),
                                .is_overflow = block.status != 0});
    };
    add("DHA Atomic Add", record.dha_atomic);
    add("L2 Atomic Add", record.l2_atomic);
    add("AI Core", record.ai_core);
    parsed.json = record.json();
    return parsed;
}

}  // namespace

OpDebug parse_op_debug(std::span<const std::byte> payload, Log& log) {
    const Bytes bytes(payload);
    if (bytes.number(0, 4) == kMagic) return parse_new(bytes, log);
    if (payload.size() != cann_dump::kOpDebugBytes)
        throw CommandError(
            kInvalidDumpData,
            fmt::format("op-debug data without the magic number has {} bytes, not {}",
                        payload.size(),
                        cann_dump::kOpDebugBytes));
    return parse_old(payload);
}

bool is_op_debug_name(std::string_view file_name) {
    return file_name.starts_with("Opdebug.Node_OpDebug.");
}

}  // namespace npuscope::msaccucmp
