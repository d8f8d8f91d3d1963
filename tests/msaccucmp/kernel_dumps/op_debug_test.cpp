#include "msaccucmp/kernel_dumps/op_debug.h"

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {
namespace {

using Payload = std::vector<std::byte>;

void put(Payload& payload, size_t at, uint64_t value, size_t count) {
    for (size_t i = 0; i < count; ++i)
        payload[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xffu);
}

/// Head, then the numbers 100, 101, ...
Payload new_payload(uint32_t version, uint32_t type, size_t words) {
    Payload payload(24 + 8 * words);
    const uint32_t head[] = {0x5a5a5a5a, version, 1, type, 0, static_cast<uint32_t>(8 * words)};
    for (size_t i = 0; i < 6; ++i)
        put(payload, 4 * i, head[i], 4);
    for (size_t i = 0; i < words; ++i)
        put(payload, 24 + 8 * i, 100 + i, 8);
    return payload;
}

struct Parsed {
    OpDebug debug;
    std::string log;
    int code = kOk;
};

Parsed parse(const Payload& payload) {
    std::ostringstream text;
    Log log(text);
    Parsed parsed;
    try {
        parsed.debug = parse_op_debug(payload, log);
    } catch (const CommandError& problem) {
        parsed.code = problem.code();
    }
    parsed.log = text.str();
    return parsed;
}

TEST(OpDebug, names_the_unit_of_the_new_format) {
    const char* names[] = {"AIC", "AIV", "AICPU", "SDMA"};
    const size_t words[] = {11, 11, 8, 10};
    for (uint32_t type = 0; type < 4; ++type) {
        const Parsed parsed = parse(new_payload(0, type, words[type]));
        EXPECT_EQ(parsed.log, "");
        ASSERT_EQ(parsed.debug.units.size(), 1u);
        const OpDebugUnit& unit = parsed.debug.units[0];
        EXPECT_EQ(unit.name, names[type]);
        EXPECT_EQ(unit.stream_id, 101u);
        EXPECT_EQ(unit.task_id, 102u);
        EXPECT_EQ(unit.status, std::to_string(99 + words[type]));
        EXPECT_TRUE(unit.is_overflow);
        EXPECT_TRUE(unit.has_context && unit.has_thread);
    }
}

TEST(OpDebug, version_1_has_four_words_of_status) {
    const Parsed parsed = parse(new_payload(1, 1, 14));
    EXPECT_EQ(parsed.log, "");
    EXPECT_EQ(parsed.debug.units.at(0).status, "[110, 111, 112, 113]");
    EXPECT_NE(parsed.debug.json.find("\"status\": [\n                110,\n"), std::string::npos)
        << parsed.debug.json;
    Payload zero = new_payload(1, 0, 14);
    for (size_t i = 10; i < 14; ++i)
        put(zero, 24 + 8 * i, 0, 8);
    EXPECT_FALSE(parse(zero).debug.units.at(0).is_overflow);
}

// The vector T9 of the chips' known facts: stream and task of the core, status 0x20.
TEST(OpDebug, finds_what_the_old_format_says) {
    Payload payload(2048);
    put(payload, 256 + 8, 3, 8);
    put(payload, 256 + 16, 7, 8);
    put(payload, 1024 + 16, 0x20, 8);
    const Parsed parsed = parse(payload);
    EXPECT_FALSE(parsed.debug.is_new);
    ASSERT_EQ(parsed.debug.units.size(), 3u);
    EXPECT_FALSE(parsed.debug.units[0].is_overflow);
    const OpDebugUnit& core = parsed.debug.units[2];
    EXPECT_EQ(core.name, "AI Core");
    EXPECT_EQ(core.stream_id, 3u);
    EXPECT_EQ(core.task_id, 7u);
    EXPECT_EQ(core.status, "32");
    EXPECT_FALSE(core.has_context);
    EXPECT_NE(parsed.debug.json.find("\"kernel_code\": \"0x0\""), std::string::npos);
}

TEST(OpDebug, complains_about_what_does_not_matter_and_rejects_what_does) {
    Payload odd = new_payload(0, 0, 11);
    put(odd, 8, 0, 4);
    put(odd, 20, 3, 4);
    const Parsed parsed = parse(odd);
    EXPECT_EQ(parsed.code, kOk);
    EXPECT_NE(parsed.log.find("'valid' of op-debug data is 0"), std::string::npos);
    EXPECT_NE(parsed.log.find("'data_len' of op-debug data is 3, not 88"), std::string::npos);
    EXPECT_EQ(parse(new_payload(0, 4, 11)).code, kInvalidOverflowType);
    EXPECT_EQ(parse(new_payload(0, 0, 10)).code, kInvalidDumpData);
    EXPECT_EQ(parse(Payload(2047)).code, kInvalidDumpData);
    EXPECT_EQ(parse(Payload(3)).code, kInvalidDumpData);
    EXPECT_EQ(parse({}).code, kInvalidDumpData);
}

TEST(OpDebug, is_known_by_its_name) {
    EXPECT_TRUE(is_op_debug_name("Opdebug.Node_OpDebug.1.2.3"));
    EXPECT_FALSE(is_op_debug_name("Opdebug.Node"));
}

}  // namespace
}  // namespace npuscope::msaccucmp
