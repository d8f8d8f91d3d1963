// JUnit's XML: a suite a run, a case an op.
#include <map>
#include <vector>

#include <fmt/format.h>

#include "compare/ci/ci_report.h"
#include "compare/ci/xml_text.h"
#include "compare/report/accused.h"

namespace npuscope::compare {

namespace {

/// Cases of one suite, counted.
struct Suite {
    std::string cases{};
    size_t tests = 0;
    size_t failures = 0;
    size_t errors = 0;
    size_t skipped = 0;

    void add(const std::string& name, const std::string& group, const std::string& content) {
        ++tests;
        cases += fmt::format(
            R"(    <testcase name="{}" classname="{}" time="0")", xml_text(name), xml_text(group));
        cases += content.empty() ? "/>\n" : ">" + content + "</testcase>\n";
    }
};

std::string element(const char* name, const std::string& type, const std::string& message) {
    return fmt::format(R"(<{} type="{}" message="{}"/>)", name, xml_text(type), xml_text(message));
}

std::string group_of(const OpResult& op) {
    return !op.module.empty() ? op.module : !op.node.empty() ? op.node : op.id.op;
}

std::string whole_why(const Finding& finding) {
    return finding.why + (finding.because.empty() ? "" : " (" + finding.because + ")");
}

void add_op(const OpResult& op, const std::vector<const Finding*>& findings, Suite& suite) {
    std::string counting;
    std::string skipping;
    std::string kind;
    for (const Finding* finding : findings) {
        const bool counts =
            finding->status == FindingStatus::kCounts || finding->status == FindingStatus::kWorse;
        std::string& text = counts ? counting : skipping;
        text += (text.empty() ? "" : "; ") + whole_why(*finding);
        if (counts && kind.empty()) kind = finding->kind;
    }
    const Verdict verdict = op.judgement.verdict;
    if (skipping.empty() && (verdict == Verdict::kNotProvable || verdict == Verdict::kUndefined))
        skipping = std::string(name_of(verdict)) + ": " + op.judgement.rule;
    const std::string& path = op.target.empty() ? op.golden : op.target;
    const std::string place = place_text(op);
    const std::string name = place.empty() ? path : path + " (" + place + ")";
    if (!counting.empty()) {
        ++suite.failures;
        suite.add(name, group_of(op), element("failure", kind, counting));
    } else if (!skipping.empty()) {
        ++suite.skipped;
        suite.add(
            name, group_of(op), fmt::format(R"(<skipped message="{}"/>)", xml_text(skipping)));
    } else {
        suite.add(name, group_of(op), "");
    }
}

Suite suite_of(const CiRun& run) {
    Suite suite;
    if (run.result == nullptr) {
        ++suite.errors;
        suite.add("comparison", "npuscope", element("error", "not compared", run.problem));
        return suite;
    }
    const Gate gate = gate_or_all(*run.result);
    std::map<size_t, std::vector<const Finding*>> by_op;
    for (const Finding& finding : gate.findings)
        by_op[finding.op].push_back(&finding);
    for (size_t i = 0; i < run.result->ops.size(); ++i)
        add_op(run.result->ops[i], by_op[i], suite);
    for (const std::string& waiver : gate.expired) {
        ++suite.failures;
        suite.add(waiver, "waivers", element("failure", "expired", waiver));
    }
    // A verdict that no op tells.
    const std::string verdict(gated_verdict(*run.result));
    if (suite.failures == 0 && verdict != "pass") {
        ++suite.errors;
        suite.add("comparison", "npuscope", element("error", verdict, "verdict: " + verdict));
    }
    return suite;
}

std::string junit_suite(const CiRun& run) {
    const Suite suite = suite_of(run);
    return fmt::format(
        "package=\"npuscope\" name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" tests=\"{}\" "
        "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\">\n    <properties/>\n{}    "
        "<system-out/>\n    <system-err/>\n  </testsuite>\n",
        xml_text(run.name),
        xml_text(run.time),
        suite.tests,
        suite.failures,
        suite.errors,
        suite.skipped,
        suite.cases);
}

std::string junit_document(const std::vector<std::string>& parts) {
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (size_t i = 0; i < parts.size(); ++i)
        text += fmt::format("  <testsuite id=\"{}\" ", i) + parts[i];
    return text + "</testsuites>\n";
}

}  // namespace

const CiReport k_junit_ci_report = {
    .name = "junit",
    .summary = "JUnit's XML, a case an op",
    .part = junit_suite,
    .whole = junit_document,
};

}  // namespace npuscope::compare
