#include "core/cann_dump/op_debug.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::cann_dump {
namespace {

TEST(OpDebugRecord, has_the_published_layout) {
    std::vector<std::byte> bytes(2048);
    bytes[256 + 8] = std::byte{3};
    bytes[256 + 16] = std::byte{7};
    bytes[1024 + 16] = std::byte{0x20};
    const OpDebugRecord record = OpDebugRecord::parse(bytes);
    EXPECT_EQ(record.ai_core.stream_id, 3u);
    EXPECT_EQ(record.ai_core.task_id, 7u);
    EXPECT_EQ(record.ai_core.status, 0x20u);
    EXPECT_EQ(record.payload(), bytes);
    const std::string json = record.json();
    EXPECT_NE(json.find("\"status\": 32"), std::string::npos) << json;
    EXPECT_NE(json.find("\"kernel_code\": \"0x0\""), std::string::npos) << json;
    EXPECT_LT(json.find("DHA Atomic Add"), json.find("L2 Atomic Add"));
    bytes.pop_back();
    EXPECT_THROW((void)OpDebugRecord::parse(bytes), Error);
}

}  // namespace
}  // namespace npuscope::cann_dump
