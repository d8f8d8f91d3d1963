#include "cli/options/align_options.h"

#include "compare/relate/mapping.h"
#include "core/base/error.h"
#include "core/base/pending_file.h"

namespace npuscope::cli {

void add_align_options(CLI::App& app, AlignArguments& arguments) {
    app.add_flag("--align",
                 arguments.align,
                 "pair tensors by what they hold: equal, permuted, parts of others, sums; without "
                 "it where names and order leave many ops alone");
    app.add_flag("--no-align", arguments.no_align, "pair ops by names and order only")
        ->excludes("--align");
    app.add_option("--mapping",
                   arguments.mapping,
                   "file that says what belongs together: of --mapping-out, or one of msprobe's")
        ->excludes("--align");
    app.add_option("--mapping-out", arguments.mapping_out, "file for what --align found");
}

void take_alignment(const AlignArguments& arguments, compare::AlignOptions& options) {
    using When = compare::AlignOptions::When;
    options.when = arguments.align      ? When::kAlways
                   : arguments.no_align ? When::kNever
                                        : When::kWhereUnpaired;
    options.mapping = arguments.mapping;
    if (arguments.mapping_out.empty()) return;
    if (!arguments.align && arguments.mapping.empty())
        throw Error(ErrorKind::kUsage, "--mapping-out writes what --align finds; give --align");
    options.on_ties = [path = arguments.mapping_out](const auto& ties) {
        write_text_file(path, compare::mapping_text(ties));
    };
}

}  // namespace npuscope::cli
