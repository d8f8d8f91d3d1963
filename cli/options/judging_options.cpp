#include "cli/options/judging_options.h"

#include "compare/standards/standard.h"

namespace npuscope::cli {

void add_judging_options(CLI::App& app,
                         diagnose::JudgingRequest& request,
                         const JudgingHelp& help) {
    app.add_option("--tolerances",
                   request.tolerances,
                   "JSON file of tolerances by tensor (a regular expression) and dtype, within "
                   "which a tensor passes, and of regions to ignore");
    // No delimiter, so that CLI11 takes no brackets apart.
    app.add_option("--ignore",
                   request.ignore,
                   "elements that are in no measure and no verdict: a regular expression found in "
                   "the tensor's path, and behind it a slice as NumPy writes it, '[..., -3:]'; may "
                   "repeat")
        ->type_name("REGEX[SLICE]")
        ->delimiter('\0')
        ->allow_extra_args(false);
    std::string standards;
    for (const compare::Standard& row : compare::all_standards())
        standards += (standards.empty() ? "" : ", ") + std::string(row.name);
    app.add_option("--standard",
                   request.standard,
                   "what another project's rule says, beside the verdicts: " + standards);
    app.add_option("--third", request.third, "with cann-L0, -L1, -L2: " + help.third)
        ->default_str(help.third_default);
    app.add_option("--repeat",
                   request.repeats,
                   "further recordings of " + help.repeated +
                       ": how far they are apart is noise, and no finding; may repeat");
    app.add_option("--noise-out", request.noise_out, "file for the noise that --repeat shows");
    app.add_option("--noise", request.noise, "file of noise from an earlier --noise-out");
}

}  // namespace npuscope::cli
