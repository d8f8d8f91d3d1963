// Chosen ops of a recording of any kind as a dump of our own, which every command reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/recording/source.h"

namespace npuscope {

struct WrittenDump {
    int64_t ops = 0;
    int64_t tensors = 0;   ///< with their elements
    int64_t numbers = 0;   ///< tensors by statistics alone
    int64_t left_out = 0;  ///< tensors with neither elements nor all four statistics
};

/// Writes the ops whose path fits one of the patterns (* and ? match) in the source's order. A call
/// "Functional.conv2d.3.forward" becomes /Functional.conv2d.forward/<place in the source, from 1>;
/// its node is the call's name. `on_op` gets both. The file appears when it is complete.
/// Errors: Error(kUsage) a pattern that fits nothing, a file that is there already; those of the
/// tensors and of the writer.
WrittenDump write_dump(
    const Source& source,
    const std::vector<std::string>& patterns,
    const std::filesystem::path& output,
    const std::function<void(const std::string& from, const std::string& to)>& on_op = {});

}  // namespace npuscope
