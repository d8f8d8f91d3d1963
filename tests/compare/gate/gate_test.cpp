#include "compare/gate/gate.h"

#include <gtest/gtest.h>

#include "compare/gate/baseline.h"
#include "compare/gate/waivers.h"
#include "compare/report/report.h"
#include "core/base/error.h"
#include "core/recording/source.h"
#include "tests/compare/report/small_result.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

/// Arrays "a", "b", … of which the named ones are off by so much.
Result off_by_so_much(const std::vector<std::pair<std::string, float>>& errors) {
    NamedTensors target;
    NamedTensors golden;
    for (const auto& [name, error] : errors) {
        golden.emplace_back(name, test::floats({1, 2, 4}));
        target.emplace_back(name, test::floats({1 + error, 2, 4}));
    }
    const Source mine = source_of_arrays(target, {}, Arrays::kAlone);
    const Source theirs = source_of_arrays(golden, {}, Arrays::kAlone);
    return compare_sources(mine, theirs);
}

Waivers waivers(const std::string& rows) {
    return {"{\"waivers\": [" + rows + "]}", "w.json", "2026-06-15"};
}

std::string waiver_of(const std::string& op, const std::string& expires = "2026-06-15") {
    return R"({"op": ")" + op + R"(", "reason": "fp16", "owner": "kim", "expires": ")" + expires +
           "\"}";
}

TEST(Gate, counts_everything_where_nothing_is_said) {
    const Gate gate = gate_of(off_by_so_much({{"a", 0}, {"b", 1}}), nullptr, nullptr);
    ASSERT_EQ(gate.findings.size(), 1U);
    EXPECT_EQ(gate.findings[0].path, "b");
    EXPECT_EQ(gate.exit_code, 1);
}

TEST(Gate, a_waiver_takes_what_it_covers_until_its_last_day) {
    const Result result = off_by_so_much({{"a", 0}, {"b", 1}, {"c", 1}});
    const Waivers one = waivers(waiver_of("^b$"));
    EXPECT_EQ(gate_of(result, &one, nullptr).exit_code, 1);
    EXPECT_EQ(gate_of(result, &one, nullptr).count(FindingStatus::kWaived), 1);
    const Waivers both = waivers(waiver_of("^[bc]$"));
    EXPECT_EQ(gate_of(result, &both, nullptr).exit_code, 0);
    const Waivers late = waivers(waiver_of("^[bc]$", "2026-06-14"));
    const Gate gate = gate_of(result, &late, nullptr);
    EXPECT_EQ(gate.count(FindingStatus::kCounts), 2);
    EXPECT_EQ(gate.expired.size(), 1U);
}

TEST(Gate, an_expired_waiver_is_a_finding_and_an_unused_one_is_named) {
    const Result clean = off_by_so_much({{"a", 0}});
    const Waivers late = waivers(waiver_of("a", "2020-02-29"));
    EXPECT_EQ(gate_of(clean, &late, nullptr).exit_code, 1);
    const Waivers unused = waivers(waiver_of("z"));
    const Gate gate = gate_of(clean, &unused, nullptr);
    EXPECT_EQ(gate.exit_code, 0);
    ASSERT_EQ(gate.unused.size(), 1U);
    EXPECT_EQ(gate.unused[0], "the waiver of 'z' (kim, until 2026-06-15: fp16) meets no finding");
}

TEST(Gate, with_a_baseline_only_what_is_new_or_worse_counts) {
    const ReportOptions options;
    const std::string old =
        report_named("json").write(off_by_so_much({{"a", 0}, {"b", 1}, {"d", 1}}), options);
    const Baseline baseline(old, "old.json");
    const Gate same = gate_of(off_by_so_much({{"a", 0}, {"b", 1}, {"d", 0}}), nullptr, &baseline);
    EXPECT_EQ(same.exit_code, 0);
    EXPECT_EQ(same.count(FindingStatus::kKnown), 1);
    EXPECT_EQ(same.gone, 1);
    const Gate more = gate_of(off_by_so_much({{"a", 1}, {"b", 1}}), nullptr, &baseline);
    EXPECT_EQ(more.exit_code, 1);
    EXPECT_EQ(more.findings.at(0).status, FindingStatus::kCounts);
    EXPECT_EQ(more.findings.at(1).status, FindingStatus::kKnown);
}

TEST(Gate, an_error_over_what_is_allowed_that_grew_is_worse) {
    Result result = off_by_so_much({{"b", 1}});
    const auto with_ratio = [&](double ratio) {
        TensorResult& tensor = result.ops.at(0).tensors.at(0);
        tensor.split = Split{.target = Introduced{.ratio = ratio, .over = 1, .numel = 3}};
        return result;
    };
    const std::string old = report_named("json").write(with_ratio(4), {});
    const Baseline baseline(old, "old.json");
    EXPECT_EQ(gate_of(with_ratio(5), nullptr, &baseline).exit_code, 0);
    const Gate gate = gate_of(with_ratio(7), nullptr, &baseline);
    EXPECT_EQ(gate.exit_code, 1);
    EXPECT_EQ(gate.findings.at(0).status, FindingStatus::kWorse);
    EXPECT_EQ(gate.findings.at(0).because, "7 of what is allowed, 4 in the baseline");
}

TEST(Gate, has_every_finding_of_a_comparison_once) {
    const Result result = small_result();
    const std::vector<Finding> findings = findings_of(result);
    EXPECT_GE(findings.size(), result.culprits.size());
    std::set<std::vector<std::string>> seen;
    for (const Finding& finding : findings)
        EXPECT_TRUE(seen.insert({finding.kind, finding.path, finding.detail}).second)
            << finding.path;
    // A baseline of itself knows all of them.
    const Baseline baseline(report_named("json").write(result, {}), "own.json");
    EXPECT_EQ(gate_of(result, nullptr, &baseline).exit_code, 0);
}

TEST(Waivers, cover_by_kind_module_and_detail_too) {
    const Waivers rows =
        waivers(R"({"op": "mm", "kind": "argument", "module": "^encoder", "detail": "^eps$",)"
                R"( "reason": "r", "owner": "o", "expires": "2030-01-01"})");
    const Waiver& waiver = rows.rows().at(0);
    const Finding finding{
        .kind = "argument", .op = 0, .path = "/addmm/3", .detail = "eps", .why = ""};
    EXPECT_TRUE(waiver.covers(finding, "encoder.fc"));
    EXPECT_FALSE(waiver.covers(finding, "decoder"));
    Finding other = finding;
    other.detail = "beta";
    EXPECT_FALSE(waiver.covers(other, "encoder.fc"));
    other = finding;
    other.kind = "op";
    EXPECT_FALSE(waiver.covers(other, "encoder.fc"));
}

TEST(Waivers, rejects_what_is_no_such_file_in_one_line) {
    for (const char* text : {"", "[]", "{\"waivers\": 3}", "{\"waivers\": [], \"more\": 1}", "{"})
        EXPECT_THROW(Waivers(text, "w.json", "2026-06-15"), Error) << text;
    for (const char* row :
         {R"(3)",
          R"({"op": "a"})",
          R"({"op": "a", "reason": " ", "owner": "o", "expires": "2030-01-01"})",
          R"({"op": "", "reason": "r", "owner": "o", "expires": "2030-01-01"})",
          R"({"op": "(", "reason": "r", "owner": "o", "expires": "2030-01-01"})",
          R"({"op": "a", "reason": "r", "owner": "o", "expires": "2030-02-30"})",
          R"({"op": "a", "reason": "r", "owner": "o", "expires": "soon"})",
          R"({"op": "a", "reason": 4, "owner": "o", "expires": "2030-01-01"})",
          R"({"op": "a", "reason": "r", "owner": "o", "expires": "2030-01-01", "x": 1})"}) {
        try {
            static_cast<void>(waivers(waiver_of("a") + "," + std::string(row)));
            FAIL() << row;
        } catch (const Error& failure) {
            const std::string told = failure.what();
            EXPECT_EQ(told.rfind("waiver 2 of 'w.json' ", 0), 0U) << told;
            EXPECT_EQ(told.find('\n'), std::string::npos);
        }
    }
}

TEST(Baseline, rejects_what_no_comparison_printed) {
    for (const char* text :
         {"", "{}", "[1]", "{\"version\": 2}", "{\"version\": 1, \"culprits\": []}"})
        EXPECT_THROW(Baseline(text, "old.json"), Error) << text;
    EXPECT_THROW(Baseline(std::filesystem::path("/nowhere/old.json"), {}, ""), Error);
}

TEST(Baseline, of_a_tree_is_that_of_the_run) {
    const std::string one = report_named("json").write(off_by_so_much({{"b", 1}}), {});
    const std::string tree =
        R"({"version": 2, "runs": [{"step": 0, "rank": "rank1", "result": )" + one + "}]}";
    EXPECT_EQ(Baseline(tree, "old.json", 0, "rank1").size(), 1U);
    EXPECT_EQ(Baseline(tree, "old.json", 0, "rank0").size(), 0U);
    EXPECT_EQ(Baseline(tree, "old.json", 1, "rank1").size(), 0U);
}

}  // namespace
}  // namespace npuscope::compare
