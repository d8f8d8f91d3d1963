// Custom format conversions: scripts of the user, run in one Python process of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout/plan.h"
#include "msaccucmp/base/log.h"

namespace npuscope::custom_algorithms {
class Channel;
}

namespace npuscope::msaccucmp {

struct CustomRequest {
    const layout::FormatRequest& request;
    std::string_view descr;  ///< NumPy's, of the elements
    std::span<const std::byte> elements;
};

struct CustomArray {
    layout::Dims shape;
    std::string descr;
    std::string dtype_name;
    size_t item_size = 0;
    std::vector<std::byte> elements;
};

/// DIR/format_convert/convert_<FROM>_to_<TO>.py, each with convert(shape_from, shape_to, array), or
/// with a fourth argument `group` where TO is FRACTAL_Z. They go before the built-in conversions.
/// Threads: any may call convert(); calls wait for one another. The thread that makes the object
/// must outlive it.
class CustomFormats {
  public:
    /// A script that cannot be used is logged and left out. Errors: CommandError(kInvalidPath) a
    /// folder that is none or breaks the rules, (kInvalidConvertFunction) no Python.
    CustomFormats(const std::filesystem::path& folder, Log& log);
    ~CustomFormats();
    CustomFormats(const CustomFormats&) = delete;
    CustomFormats& operator=(const CustomFormats&) = delete;

    [[nodiscard]] bool converts(layout::Format from, layout::Format to) const;
    /// Errors: CommandError(kInvalidConvertFunction) when the script fails or returns no array of
    /// numbers.
    [[nodiscard]] CustomArray convert(const CustomRequest& request);

  private:
    std::mutex mutex_;
    std::unique_ptr<custom_algorithms::Channel> channel_;
    std::set<std::string> names_;
};

}  // namespace npuscope::msaccucmp
