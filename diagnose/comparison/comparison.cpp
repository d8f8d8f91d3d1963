#include "diagnose/comparison/comparison.h"

#include <algorithm>

#include "compare/files.h"
#include "compare/programs/second_look.h"
#include "core/base/error.h"
#include "core/recording/joined.h"
#include "core/recording/tree.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/comparison/lists_apart.h"
#include "diagnose/comparison/tree_runs.h"
#include "diagnose/judge/split.h"
#include "diagnose/judge/stored_wider.h"
#include "diagnose/judge/sum_bounds.h"

namespace npuscope::diagnose {

namespace {

bool is_one_step(const std::vector<RecordedRun>& runs) {
    return !runs.empty() && std::ranges::all_of(runs, [&](const RecordedRun& run) {
        return run.step == runs.front().step;
    });
}

/// A run that is in no tree has neither step nor rank, however its folder is called.
RecordedRun in_tree_or_alone(const RecordedRun& run, bool is_tree) {
    return is_tree ? run : RecordedRun{.path = run.path};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> to_texts(const ComparisonRequest& request) {
    std::vector<std::pair<std::string, std::string>> texts = {
        {"tolerance", request.tolerance ? std::to_string(*request.tolerance) : "by compute type"},
        {"tolerance_factor", std::to_string(request.tolerance_factor)},
        {"inputs", request.inputs ? "yes" : "no"},
        {"judge", request.tolerance ? "off" : request.judge},
        {"chip", request.chip},
        {"target_class", request.target_class},
        {"standard", request.judging.standard},
        {"third", request.judging.third.empty() ? "golden" : request.judging.third},
        {"allow_golden_at_fault", request.allow_golden_at_fault ? "yes" : "no"}};
    const JudgingRequest& judging = request.judging;
    if (!judging.tolerances.empty()) texts.emplace_back("tolerances", judging.tolerances.string());
    std::string regions;
    for (const std::string& region : judging.ignore)
        regions += (regions.empty() ? "" : " ") + region;
    if (!regions.empty()) texts.emplace_back("ignore", std::move(regions));
    return texts;
}

RecordingComparison::RecordingComparison(ComparisonRequest request)
    : request_(std::move(request)),
      expected_(request_.chip.empty() ? nullptr : &chip(request_.chip), request_.target_class),
      files_(request_.judging) {
    options_.threads = request_.threads;
    options_.inputs = request_.inputs;
    options_.divergence = request_.divergence;
    options_.custom = request_.custom;
    options_.judging =
        request_.tolerance ? compare::Judging::kOff : compare::judging_named(request_.judge);
    options_.allow_golden_at_fault = request_.allow_golden_at_fault;
    options_.align = request_.align;
    if (expected_.is_anything() && options_.judging == compare::Judging::kOff)
        throw Error(ErrorKind::kUsage,
                    "a chip or a class says what arithmetic to expect; nothing is computed that "
                    "shows it where the judge is off, or one tolerance is for all tensors");
    options_.standard = files_.standard();
    options_.ignored = files_.ignored();
    options_.on_open = [looks = options_.judging != compare::Judging::kOff](Source& source) {
        describe_calls(source);
        if (looks) mark_stored_wider(source);
    };
    options_.on_both = take_lists_apart;
    if (request_.tolerance) {
        plain_ = std::make_unique<compare::FixedBounds>(*request_.tolerance);
    } else {
        plain_ = std::make_unique<compare::PrecisionBounds>(request_.tolerance_factor);
    }
}

std::vector<compare::RunPair> RecordingComparison::prepare(const std::filesystem::path& target,
                                                           const std::filesystem::path& golden) {
    if (request_.align.when == compare::AlignOptions::When::kAlways) {
        std::vector<RecordedRun> mine = recorded_runs(target);
        std::vector<RecordedRun> others = recorded_runs(golden);
        if (mine.size() != others.size() && is_one_step(mine) && is_one_step(others)) {
            target_ranks_ = std::move(mine);
            golden_ranks_ = std::move(others);
        }
    }
    std::vector<compare::RunPair> pairs;
    if (target_ranks_.empty())
        pairs = compare::pair_runs(recorded_runs(target), recorded_runs(golden));
    is_tree_ = pairs.size() > 1;
    if (!is_tree_) {
        // As they were named.
        pairs.resize(1);
        if (!pairs.front().target) pairs.front().target.emplace();
        if (!pairs.front().golden) pairs.front().golden.emplace();
        pairs.front().target->path = target;
        pairs.front().golden->path = golden;
    }
    std::vector<RecordedRun> goldens;
    for (const compare::RunPair& pair : pairs)
        if (pair.golden) goldens.push_back(in_tree_or_alone(*pair.golden, is_tree_));
    const JudgingRequest& judging = request_.judging;
    if (judging.third_is_recording())
        thirds_ = runs_like(judging.third, goldens, "the third recording");
    files_.measure_repeats(judging.repeats, goldens, request_.threads);
    return pairs;
}

bool RecordingComparison::may_look_again() const {
    return options_.align.when == compare::AlignOptions::When::kWhereUnpaired &&
           options_.align.mapping.empty() && options_.judging != compare::Judging::kOff;
}

compare::Result RecordingComparison::compare(const compare::RunPair& pair, const OnOp& on_op) {
    const std::string target = pair.target->path.string();
    const std::string golden = pair.golden->path.string();
    const SumBounds sums(*plain_, target, golden);
    const JudgingBounds bounds(sums, files_, in_tree_or_alone(*pair.golden, is_tree_));
    const auto look = [&](compare::AlignOptions::When when) {
        RecomputingSplitter splitter(request_.threads, {}, expected_);
        compare::Options options = options_;
        options.splitter = &splitter;
        options.on_op = on_op;
        options.align.when = when;
        if (const auto third = thirds_.find(pair.golden->path); third != thirds_.end())
            options.standard.third = third->second;
        return target_ranks_.empty()
                   ? compare::compare_files(target, golden, bounds.bounds(), options)
                   : compare::compare_ranks(target_ranks_, golden_ranks_, bounds.bounds(), options);
    };
    compare::Result result = look(options_.align.when);
    if (may_look_again() && compare::wants_second_look(result)) {
        compare::Result again = look(compare::AlignOptions::When::kAlways);
        if (compare::tells_more(result, again)) {
            compare::note_second_look(result, again);
            result = std::move(again);
        }
    }
    if (files_.noise().size() > 0 && !bounds.bounds().was_of_use())
        result.notes.emplace_back(kNoiseOfNoUse);
    if (expected_.is_anything() && result.arithmetic.empty())
        result.notes.emplace_back("no op could be computed that shows the arithmetic");
    return result;
}

}  // namespace npuscope::diagnose
