#include "diagnose/comparison/judging_files.h"

#include "compare/files.h"
#include "compare/standards/standard.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"
#include "diagnose/apis/api_calls.h"
#include "diagnose/comparison/lists_apart.h"
#include "diagnose/comparison/tree_runs.h"

namespace npuscope::diagnose {

JudgingFiles::JudgingFiles(const JudgingRequest& request) : noise_out_(request.noise_out) {
    if (!request.standard.empty()) standard_.standard = &compare::standard_named(request.standard);
    if (!request.third.empty() && request.third != "golden" &&
        (standard_.standard == nullptr || !standard_.standard->takes_third))
        throw Error(ErrorKind::kUsage,
                    "a third chip is for standards that hold errors against one: cann-L0, "
                    "cann-L1, cann-L2");
    standard_.third_is_plain = request.third == "emulated";
    if (!request.tolerances.empty()) {
        compare::Tolerances file = compare::read_tolerances(request.tolerances);
        ignored_ = std::move(file.ignored);
        tolerances_ = std::move(file.rows);
    }
    for (const std::string& region : request.ignore)
        ignored_.add(region);
    if (!request.noise_out.empty() && request.repeats.empty())
        throw Error(ErrorKind::kUsage,
                    "noise is written of repetitions of a run, and none is given");
    if (!request.noise.empty()) noise_ = compare::RunNoise(request.noise);
}

void JudgingFiles::measure_repeats(const std::vector<std::filesystem::path>& repeats,
                                   const std::vector<RecordedRun>& golden,
                                   int threads) {
    if (repeats.empty()) return;
    compare::Options options;
    options.threads = threads;
    options.divergence = false;
    options.judging = compare::Judging::kOff;
    options.on_open = describe_calls;
    options.on_both = take_lists_apart;
    options.ignored = ignored();
    compare::RunNoise measured;
    for (const std::filesystem::path& repeat : repeats) {
        const auto runs = runs_like(repeat, golden, "the repetition");
        for (const RecordedRun& run : golden)
            measured.at(run).add(compare::compare_files(
                runs.at(run.path), run.path, compare::PrecisionBounds(), options));
    }
    if (measured.size() == 0)
        throw Error(ErrorKind::kUsage, "no tensor of the run is in its repetitions");
    if (!noise_out_.empty()) write_text_file(noise_out_, measured.to_json());
    noise_.merge(measured);
}

}  // namespace npuscope::diagnose
