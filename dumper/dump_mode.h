// What a dump scope is for, as its options choose. Included by dumper/*.cpp only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/event/event_source.h"
#include "dumper/dump_scope.h"

namespace npuscope::dumper {

enum class Mode { kOff, kDump, kLoad, kOverflow };

/// Errors: Error(kUsage) when more than one is chosen.
[[nodiscard]] Mode mode_of(const DumpOptions& options);

/// "dump", "load", "check_overflow", "off".
[[nodiscard]] const char* name_of(Mode mode);

/// The root attributes of the dump: what the source says of itself, the mode and its options.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts_of(const EventSource& source,
                                                                        Mode mode,
                                                                        const DumpOptions& options);

}  // namespace npuscope::dumper
