#include "core/cann_dump/op_debug.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/cann_dump/wire.h"

namespace npuscope::cann_dump {

namespace {

constexpr size_t kInfo[] = {0, 128, 256};
constexpr size_t kStatus[] = {512, 768, 1024};

/// The words of an info block in their order.
template <class Block, class F>
void for_info(Block& block, F&& f) {
    size_t at = 0;
    for (auto* word : {&block.model_id,
                       &block.stream_id,
                       &block.task_id,
                       &block.task_type,
                       &block.pc_start,
                       &block.para_base})
        f(8 * at++, *word);
}

void put(std::vector<std::byte>& bytes, size_t at, uint64_t word) {
    for (size_t i = 0; i < 8; ++i)
        bytes[at + i] = static_cast<std::byte>(word >> (8 * i));
}

uint64_t get(std::span<const std::byte> bytes, size_t at) {
    return little_endian(bytes.subspan(at, 8));
}

std::string hex(uint64_t word) {
    return fmt::format("{:#x}", word);
}

nlohmann::ordered_json to_json(const OpDebugBlock& block, bool ai_core) {
    nlohmann::ordered_json object = {{"model_id", block.model_id},
                                     {"stream_id", block.stream_id},
                                     {"task_id", block.task_id},
                                     {"task_type", block.task_type},
                                     {"pc_start", hex(block.pc_start)},
                                     {"para_base", hex(block.para_base)}};
    if (ai_core) {
        object["kernel_code"] = hex(block.kernel_code);
        object["block_idx"] = block.block_idx;
    }
    object["status"] = block.status;
    return object;
}

}  // namespace

std::vector<std::byte> OpDebugRecord::payload() const {
    std::vector<std::byte> bytes(kOpDebugBytes);
    const OpDebugBlock* blocks[] = {&dha_atomic, &l2_atomic, &ai_core};
    for (size_t i = 0; i < 3; ++i)
        for_info(*blocks[i], [&](size_t at, uint64_t word) { put(bytes, kInfo[i] + at, word); });
    put(bytes, kStatus[0], dha_atomic.status);
    put(bytes, kStatus[1], l2_atomic.status);
    put(bytes, kStatus[2], ai_core.kernel_code);
    put(bytes, kStatus[2] + 8, ai_core.block_idx);
    put(bytes, kStatus[2] + 16, ai_core.status);
    return bytes;
}

OpDebugRecord OpDebugRecord::parse(std::span<const std::byte> payload) {
    if (payload.size() != kOpDebugBytes)
        throw Error(ErrorKind::kFormat,
                    "an overflow record has 2048 bytes, not " + std::to_string(payload.size()));
    OpDebugRecord record;
    OpDebugBlock* blocks[] = {&record.dha_atomic, &record.l2_atomic, &record.ai_core};
    for (size_t i = 0; i < 3; ++i)
        for_info(*blocks[i],
                 [&](size_t at, uint64_t& word) { word = get(payload, kInfo[i] + at); });
    record.dha_atomic.status = get(payload, kStatus[0]);
    record.l2_atomic.status = get(payload, kStatus[1]);
    record.ai_core.kernel_code = get(payload, kStatus[2]);
    record.ai_core.block_idx = get(payload, kStatus[2] + 8);
    record.ai_core.status = get(payload, kStatus[2] + 16);
    return record;
}

std::string OpDebugRecord::json() const {
    const nlohmann::ordered_json root = {{"DHA Atomic Add", to_json(dha_atomic, false)},
                                         {"L2 Atomic Add", to_json(l2_atomic, false)},
                                         {"AI Core", to_json(ai_core, true)}};
    return root.dump(4);
}

}  // namespace npuscope::cann_dump
