#include "core/recording/msprobe/program.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/recording/msprobe/record_name.h"

namespace npuscope::msprobe {

namespace {

constexpr std::string_view kNoModule = "no module";

bool is_of_a_framework(std::string_view frame) {
    constexpr std::array<std::string_view, 4> kPackages = {
        "/msprobe/", "/torch/", "/torch_npu/", "/mindspore/"};
    const std::string_view path = frame.substr(0, frame.find(", line "));
    return std::ranges::any_of(kPackages, [&](std::string_view package) {
        return path.find(package) != std::string_view::npos;
    });
}

/// "/net.py:12" of "File /net.py, line 12, in forward, …"; "" of anything else.
std::string place_in(std::string_view frame) {
    constexpr std::string_view kFile = "File ";
    constexpr std::string_view kLine = ", line ";
    const size_t line = frame.find(kLine);
    if (!frame.starts_with(kFile) || line == std::string_view::npos) return {};
    const std::string_view number = frame.substr(line + kLine.size());
    return unescaped(frame.substr(kFile.size(), line - kFile.size())) + ":" +
           std::string(number.substr(0, number.find(',')));
}

/// Of a list of frames; "" of anything else.
std::string innermost_line(std::string_view frames) {
    JsonCursor cursor(frames);
    if (cursor.peek() != '[') return {};
    cursor.enter_array();
    while (cursor.next_item()) {
        if (cursor.peek() != '"') {
            cursor.skip();
            continue;
        }
        const std::string_view frame = cursor.string();
        if (!is_of_a_framework(frame)) return place_in(frame);
    }
    return {};
}

/// What the file holds is given to `read` if it is an object. False: it tells nothing.
bool read_object(const std::filesystem::path& path,
                 std::optional<TextFile>& file,
                 const std::function<void(JsonCursor&)>& read) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    try {
        file.emplace(path);
        JsonCursor cursor(file->text());
        if (cursor.peek() != '{') return false;
        cursor.enter_object();
        read(cursor);
        cursor.require_end();
        return true;
    } catch (const Error&) {
        return false;
    }
}

bool is_file(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

std::string_view Program::kept(std::string_view written) const {
    if (written.find('\\') == std::string_view::npos) return written;
    return unescaped_.emplace_back(unescaped(written));
}

void Program::read_construct(JsonCursor& cursor) const {
    std::string_view key;
    while (cursor.next_key(key)) {
        const std::string_view op = kept(key);
        char kind = cursor.peek();
        std::string_view value = cursor.skip();
        // Of Megatron [module, number of the micro step].
        if (kind == '[') {
            JsonCursor parts(value);
            parts.enter_array();
            if (parts.next_item()) {
                kind = parts.peek();
                value = parts.skip();
            }
        }
        if (kind == '"') modules_[op] = kept(value.substr(1, value.size() - 2));
        if (value == "null") modules_[op] = kNoModule;
        if (parse_record_name(op)) in_construct_.push_back(op);
    }
}

void Program::read_stack(JsonCursor& cursor) const {
    std::string_view key;
    while (cursor.next_key(key)) {
        const std::string_view value = cursor.skip();
        if (!value.starts_with('[')) continue;
        // {"0": [[op, …], [frame, …]]}, before that {op: [frame, …]}.
        JsonCursor parts(value);
        parts.enter_array();
        if (!parts.next_item()) continue;
        const size_t line = line_texts_.size();
        if (parts.peek() != '[') {
            line_texts_.push_back(innermost_line(value));
            in_stack_.push_back(kept(key));
            lines_.emplace(in_stack_.back(), line);
            continue;
        }
        const std::string_view ops = parts.skip();
        if (!parts.next_item()) continue;
        line_texts_.push_back(innermost_line(parts.skip()));
        JsonCursor names(ops);
        names.enter_array();
        while (names.next_item()) {
            if (names.peek() != '"') {
                names.skip();
                continue;
            }
            in_stack_.push_back(kept(names.string()));
            lines_.emplace(in_stack_.back(), line);
        }
    }
}

void Program::read() const {
    std::call_once(once_, [&] {
        const auto construct = [&](JsonCursor& at) { read_construct(at); };
        if (!read_object(folder_ / "construct.json", construct_, construct)) {
            modules_.clear();
            in_construct_.clear();
        }
        const auto stack = [&](JsonCursor& at) { read_stack(at); };
        if (!read_object(folder_ / "stack.json", stack_, stack)) {
            lines_.clear();
            in_stack_.clear();
        }
    });
}

std::string Program::line_of(const std::string& op) const {
    const auto line = lines_.find(op);
    return line == lines_.end() ? std::string() : line_texts_[line->second];
}

OpSource Program::place_of(const std::string& op) const {
    read();
    OpSource place;
    place.line = line_of(op);
    const auto name = parse_record_name(op);
    const auto module = modules_.find(op);
    if (name && name->is_module()) {
        place.module = name->base;
    } else if (module != modules_.end()) {
        place.module = module->second;
    }
    if (!name || name->pass == "forward") return place;
    const std::string forward = name->in_pass("forward");
    if (place.line.empty()) place.line = line_of(forward);
    if (place.line.empty())
        place.line = line_of(RecordName{.base = name->base,
                                        .number = 0,
                                        .pass = name->pass,
                                        .number_is_last = name->number_is_last}
                                 .in_pass("forward"));
    if (place.module.empty())
        if (const auto other = modules_.find(forward); other != modules_.end())
            place.module = other->second;
    return place;
}

std::vector<std::string> Program::records() const {
    read();
    const std::vector<std::string_view>& names = in_construct_.empty() ? in_stack_ : in_construct_;
    return {names.begin(), names.end()};
}

bool Program::has_stack() const {
    return is_file(folder_ / "stack.json");
}

bool Program::has_construct() const {
    return is_file(folder_ / "construct.json");
}

}  // namespace npuscope::msprobe
