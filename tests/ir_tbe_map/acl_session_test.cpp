#include "ir_tbe_map/acl_session.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/ir_tbe_map/fake_executor.h"
#include "tests/support/support.h"

namespace npuscope::ir_tbe_map {
namespace {

using test::FakeExecutor;
using test::TempDir;

std::filesystem::path acl_json(const TempDir& folder) {
    test::write_file(folder / "acl.json",
                     R"({"dump": {"dump_path": ")" + (folder / "out").string() +
                         R"(", "dump_op_switch": "on"}})");
    return folder / "acl.json";
}

TEST(AclSession, dumps_between_set_and_finalize) {
    const TempDir folder;
    FakeExecutor npu;
    AclSession session(npu);
    const Tensor one = Tensor::from<float>({1}, {1.0f});
    const auto run = [&] {
        npu.begin_op("neg");
        npu.kernel("Neg", {one}, {one});
    };
    run();
    session.init_dump();
    run();
    session.set_dump(acl_json(folder));
    run();
    const KernelDumpSummary summary = session.finalize_dump();
    run();
    ASSERT_EQ(summary.kernels.size(), 1u);
    EXPECT_EQ(summary.kernels[0].seqid, 3);
    EXPECT_FALSE(session.initialised());
}

TEST(AclSession, without_a_configuration_dumps_nothing) {
    FakeExecutor npu;
    AclSession session(npu);
    session.init_dump();
    EXPECT_TRUE(session.finalize_dump().kernels.empty());
}

TEST(AclSession, rejects_another_order) {
    const TempDir folder;
    FakeExecutor npu;
    AclSession session(npu);
    EXPECT_THROW(session.set_dump(acl_json(folder)), Error);
    EXPECT_THROW((void)session.finalize_dump(), Error);
    session.init_dump();
    EXPECT_THROW(session.init_dump(), Error);
    EXPECT_THROW(session.set_dump(folder / "missing.json"), Error);
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
