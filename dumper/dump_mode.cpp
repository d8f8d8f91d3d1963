#include "dumper/dump_mode.h"

#include <cctype>

#include "core/base/error.h"

namespace npuscope::dumper {

Mode mode_of(const DumpOptions& options) {
    const int chosen = int{options.use_dump} + int{options.use_load} + int{options.check_overflow};
    if (chosen > 1)
        throw Error(ErrorKind::kUsage,
                    "choose one of use_dump, use_load and check_overflow; they cannot be combined");
    if (options.use_load || (options.use_dump && !options.load_file_path.empty()))
        return Mode::kLoad;
    if (options.use_dump) return Mode::kDump;
    return options.check_overflow ? Mode::kOverflow : Mode::kOff;
}

const char* name_of(Mode mode) {
    switch (mode) {
        case Mode::kDump:
            return "dump";
        case Mode::kLoad:
            return "load";
        case Mode::kOverflow:
            return "check_overflow";
        default:
            return "off";
    }
}

std::vector<std::pair<std::string, std::string>> facts_of(const EventSource& source,
                                                          Mode mode,
                                                          const DumpOptions& options) {
    auto facts = source.run_facts();
    // Root attributes are written like the dump's own: Chip, Options, …
    for (auto& [name, text] : facts)
        if (!name.empty())
            name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    facts.emplace_back("Mode", name_of(mode));
    if (options.sample > 1) facts.emplace_back("Sample", std::to_string(options.sample));
    if (mode == Mode::kLoad) facts.emplace_back("Golden", options.load_file_path.string());
    return facts;
}

}  // namespace npuscope::dumper
