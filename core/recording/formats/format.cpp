#include "core/recording/formats/format.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <new>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace {
constexpr std::array kFormats = {
#define FORMAT(name) &k_##name##_format,
#include "core/recording/formats/formats.def"
#undef FORMAT
};
}  // namespace

std::span<const Format* const> all_formats() {
    return kFormats;
}

const Format* format_of(const std::filesystem::path& path) {
    const auto* const row =
        std::ranges::find_if(kFormats, [&](const Format* format) { return format->is_it(path); });
    return row == kFormats.end() ? nullptr : *row;
}

std::string all_recordings_text() {
    std::string text;
    for (const Format* format : all_formats())
        text += (text.empty() ? "" : "; ") + std::string(format->what);
    return text;
}

bool has_extension(const std::filesystem::path& path,
                   std::initializer_list<std::string_view> extensions) {
    std::error_code failed;
    const std::string extension = path.extension().string();
    return !std::filesystem::is_directory(path, failed) &&
           std::ranges::any_of(extensions,
                               [&](std::string_view each) { return each == extension; });
}

std::string first_bytes(const std::filesystem::path& path, size_t count) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return {};
    std::ifstream file(path, std::ios::binary);
    std::string bytes(count, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return bytes;
}

Source open_source(const std::filesystem::path& path, Arrays form) {
    if (const Format* format = format_of(path)) {
        try {
            return format->open(path, form);
        } catch (const std::bad_alloc&) {
            throw Error(ErrorKind::kUnsupported,
                        in_quotes(path) + " does not fit into the memory of this machine");
        }
    }
    std::error_code failed;
    if (!std::filesystem::exists(path, failed))
        throw Error(ErrorKind::kIo, "cannot open " + in_quotes(path) + ": no such file or folder");
    throw Error(ErrorKind::kUsage,
                in_quotes(path) + " is no recording; what is read: " + all_recordings_text());
}

bool is_array_file(const std::filesystem::path& path) {
    const Format* format = format_of(path);
    return format != nullptr && format->holds_arrays;
}

}  // namespace npuscope
