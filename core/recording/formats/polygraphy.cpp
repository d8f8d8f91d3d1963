// RunResults of Polygraphy, as `polygraphy run --save-outputs` writes them: JSON whose arrays are
// .npy images in base64.
// Source: NVIDIA/TensorRT, tools/Polygraphy/polygraphy/{json/serde,comparator/struct}.py.
#include <array>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/parse_json.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"
#include "core/npz/npy.h"
#include "core/recording/formats/format.h"
#include "core/recording/python_json.h"

namespace npuscope {

namespace {

/// The value of a digit of base64; -1 of anything else. Source: RFC 4648, section 4.
int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Nothing when the text is no base64.
std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding)
        text.remove_suffix(1);
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const int digit = digit_of(c);
        if (digit < 0) return std::nullopt;
        bits = bits << 6 | static_cast<uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> held & 0xff));
    }
    return bytes;
}

class RunResults {
  public:
    explicit RunResults(const std::filesystem::path& path) : what_(in_quotes(path)) {
        root_ = parse_json<nlohmann::ordered_json>(with_quoted_numbers(read_text_file(path)));
        if (!root_.is_object() || !root_.contains("lst") || !root_["lst"].is_array())
            is_none("it has no list 'lst'");
    }

    Source source() {
        const nlohmann::ordered_json& runners = root_["lst"];
        for (size_t i = 0; i < runners.size(); ++i) {
            const nlohmann::ordered_json& runner = runners[i];
            if (!runner.is_array() || runner.size() != 2 || !runner[0].is_string() ||
                !runner[1].is_array())
                is_none("a runner is no pair of a name and a list");
            std::string before = runners.size() == 1 ? "" : "runner" + std::to_string(i) + ".";
            for (size_t turn = 0; turn < runner[1].size(); ++turn)
                add_iteration(runner[1][turn],
                              runner[1].size() == 1
                                  ? before
                                  : before + "iteration" + std::to_string(turn) + ".");
            names_ += (i == 0 ? "" : ", ") + printable(runner[0].get<std::string>());
        }
        Source source = source_of_arrays(tensors_, {}, Arrays::kAlone);
        if (!names_.empty()) source.remarks.push_back(what_ + " was written by " + names_);
        return source;
    }

  private:
    [[noreturn]] void is_none(const std::string& problem) const {
        throw Error(ErrorKind::kFormat, what_ + " is no RunResults of Polygraphy: " + problem);
    }

    void add_iteration(const nlohmann::ordered_json& iteration, const std::string& before) {
        if (!iteration.is_object() || !iteration.contains("outputs") ||
            !iteration["outputs"].is_object())
            is_none("an iteration has no 'outputs'");
        for (const auto& [name, lazy] : iteration["outputs"].items()) {
            // Arrays that were not swapped to the disk stood there themselves in older versions.
            const nlohmann::ordered_json& array =
                lazy.is_object() && lazy.contains("values") ? lazy["values"] : lazy;
            tensors_.emplace_back(before + name, tensor_of(name, array));
        }
    }

    Tensor tensor_of(const std::string& name, const nlohmann::ordered_json& array) const {
        if (!array.is_object() || !array.contains("array") || !array["array"].is_string())
            is_none(in_quotes(name) + " has no array");
        const auto kind = array.find("polygraphy_class");
        if (kind != array.end() && *kind != "ndarray")
            throw Error(ErrorKind::kUnsupported,
                        what_ + ": " + in_quotes(name) +
                            " is no array of NumPy; save the outputs of a runner that gives such");
        const auto image = from_base64(array["array"].get_ref<const std::string&>());
        if (!image) is_none(in_quotes(name) + " is no base64");
        return parse_npy(*image, what_ + ": " + in_quotes(name));
    }

    std::string what_;
    nlohmann::ordered_json root_;  ///< in the order of the file, which is the runner's
    NamedTensors tensors_;
    std::string names_;
};

}  // namespace

extern const Format k_polygraphy_format;
const Format k_polygraphy_format = {
    .name = "polygraphy",
    .what = "a .json of Polygraphy's outputs",
    .holds_arrays = true,
    .is_it = [](const std::filesystem::path& path) { return has_extension(path, {".json"}); },
    .open = [](const std::filesystem::path& path, Arrays) { return RunResults(path).source(); },
};

}  // namespace npuscope
