// What a scope keeps of each op: a choice of ops, no inputs, statistics, facts.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "dumper/dump_scope.h"
#include "tests/dumper/fake_source.h"
#include "tests/support/support.h"

namespace npuscope::dumper {
namespace {

using test::FakeSource;
using test::TempDir;

NamedValues one(const std::string& name, std::initializer_list<float> values) {
    return {{name, Tensor::from<float>({static_cast<int64_t>(values.size())}, values)}};
}

nlohmann::json facts_of(const dumpfile::Reader& reader, size_t op) {
    return nlohmann::json::parse(reader.ops().at(op).facts_json);
}

TEST(OpSelection, keeps_what_the_filter_names_and_numbers_all) {
    const TempDir folder;
    FakeSource source;
    DumpOptions options{.use_dump = true, .dump_path = folder / "a.h5"};
    options.keep = [](const OpEnd& op) { return op.name == "exp" && op.source.step == 2; };
    DumpScope scope(source, options);
    source.run("relu", one("self", {1}), one("result", {1}), {.source = {.step = 2}});
    source.run("exp", one("self", {0}), one("result", {1}), {.source = {.step = 1}});
    source.run("exp", one("self", {0}), one("result", {1}), {.source = {.step = 2}});
    EXPECT_EQ(scope.close().ops_seen, 1);
    const dumpfile::Reader reader(folder / "a.h5");
    ASSERT_EQ(reader.ops().size(), 1u);
    EXPECT_EQ(reader.ops()[0].id, (OpId{"exp", 3}));
}

TEST(OpSelection, leaves_inputs_out) {
    const TempDir folder;
    FakeSource source;
    DumpScope scope(source, {.use_dump = true, .dump_path = folder / "a.h5", .inputs = false});
    source.run("exp", one("self", {0}), one("result", {1}));
    scope.close();
    const dumpfile::Reader reader(folder / "a.h5");
    EXPECT_FALSE(reader.has_inputs());
    EXPECT_EQ(reader.ops().at(0).entries.size(), 1u);
}

TEST(OpSelection, writes_statistics_in_place_of_elements) {
    const TempDir folder;
    FakeSource source;
    DumpScope scope(source, {.use_dump = true, .dump_path = folder / "a.h5", .statistics = true});
    NamedValues inputs = one("self", {1, -3, 0, 4});
    inputs.push_back({"dim", int64_t{7}});
    source.run("exp", inputs, one("result", {std::numeric_limits<float>::infinity(), 2}));
    scope.close();
    const dumpfile::Reader reader(folder / "a.h5");
    // The plain argument stays, tensors do not.
    ASSERT_EQ(reader.ops().at(0).entries.size(), 1u);
    EXPECT_EQ(reader.ops()[0].entries[0].argument, "dim");
    const auto rows = facts_of(reader, 0)["statistics"];
    const auto& self = rows["input/self"];
    EXPECT_EQ(self["dtype"], "float32");
    EXPECT_EQ(self["shape"], (std::vector<int64_t>{4}));
    EXPECT_EQ(self["count"], 4);
    EXPECT_EQ(self["zero"], 1);
    EXPECT_EQ(self["min"], -3.0);
    EXPECT_EQ(self["max"], 4.0);
    EXPECT_EQ(self["mean"], 0.5);
    EXPECT_NEAR(self["deviation"].get<double>(), 2.5, 1e-12);  // sqrt((0.25+12.25+0.25+12.25)/4)
    const auto& result = rows["output/result"];
    EXPECT_EQ(result["positive_inf"], 1);
    EXPECT_EQ(result["finite"], 1);
    EXPECT_EQ(result["max"], 2.0);
}

TEST(OpSelection, rejects_statistics_in_other_modes) {
    const TempDir folder;
    FakeSource source;
    const DumpOptions options{
        .check_overflow = true, .dump_path = folder / "a.h5", .statistics = true};
    EXPECT_THROW(DumpScope(source, options), Error);
    EXPECT_FALSE(source.has_observers());
}

TEST(OpSelection, tells_where_an_op_of_a_program_comes_from) {
    const TempDir folder;
    FakeSource source;
    DumpScope scope(source, {.use_dump = true, .dump_path = folder / "a.h5"});
    source.run(
        "mm",
        one("self", {1}),
        one("result", {1}),
        {.source = {.autograd = "MmBackward0", .fallback = "no such op", .thread = 3, .step = 0}});
    source.run("exp", one("self", {1}), one("result", {1}), {.kernels = {"Exp"}});
    scope.close();
    const dumpfile::Reader reader(folder / "a.h5");
    const auto facts = facts_of(reader, 0);
    EXPECT_EQ(facts["autograd"], "MmBackward0");
    EXPECT_EQ(facts["fallback"], "no such op");
    EXPECT_EQ(facts["thread"], 3);
    EXPECT_EQ(facts["step"], 0);
    EXPECT_FALSE(facts.contains("status"));
    EXPECT_FALSE(facts.contains("kernels"));
    const auto plain = facts_of(reader, 1);
    EXPECT_TRUE(plain.contains("status"));
    EXPECT_FALSE(plain.contains("step"));
    EXPECT_FALSE(plain.contains("autograd"));
}

TEST(OpSelection, says_that_it_is_incomplete_with_the_first_reason) {
    const TempDir folder;
    FakeSource source;
    DumpScope scope(source, {.use_dump = true, .dump_path = folder / "a.h5"});
    source.run("exp", one("self", {1}), one("result", {1}));
    scope.set_incomplete("ValueError left the block");
    scope.set_incomplete("another");
    EXPECT_FALSE(scope.close().complete);
    const dumpfile::Reader reader(folder / "a.h5");
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.run_fact("Note"), "ValueError left the block");
}

}  // namespace
}  // namespace npuscope::dumper
