// `npuscope extract` of what is no dump of ours: its ops are written anew.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace npuscope::cli {

struct RecordingToExtract {
    std::string input;                  ///< anything that open_source() takes, or a tree
    std::vector<std::string> patterns;  ///< of ops' paths; * and ? match
    std::string output;                 ///< a dump; of several runs a folder with one of each
};

/// Prints what was copied, and what could not be. A run that fails is told, the others go on.
/// Returns the exit code: 2 with a run that failed. Errors: of one run those of write_dump(); of
/// several Error(kUsage) an output that is a file, Error(kIo) a folder that cannot be made.
int extract_recording(const RecordingToExtract& what, const Globals& globals);

}  // namespace npuscope::cli
