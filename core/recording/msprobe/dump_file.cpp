#include "core/recording/msprobe/dump_file.h"

#include <fcntl.h>

#include "core/base/error.h"
#include "core/base/owned_descriptor.h"
#include "core/base/pending_file.h"
#include "core/base/printable.h"

namespace npuscope::msprobe {

TextFile::TextFile(const std::filesystem::path& path) {
    require_regular_file(path, "file of msprobe");
    const OwnedDescriptor file(path, O_RDONLY);
    if (file.get() >= 0) mapping_ = h5::MappedFile::map(file.get());
    if (mapping_) {
        const auto bytes = mapping_->bytes();
        text_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    } else {
        content_ = read_text_file(path);
        text_ = content_;
    }
}

DumpFile::DumpFile(const std::filesystem::path& path) : file_(path) {
    const std::string what = in_quotes(path) + " is no dump.json of msprobe: ";
    bool has_data = false;
    try {
        read(has_data);
    } catch (const Error& failure) {
        throw Error(failure.kind(), what + failure.what());
    }
    if (!has_data) throw Error(ErrorKind::kFormat, what + "it has no 'data'");
}

void DumpFile::read_device(JsonCursor& cursor) {
    cursor.enter_object();
    std::string_view key;
    while (cursor.next_key(key)) {
        if (cursor.peek() != '"') {
            cursor.skip();
            continue;
        }
        const std::string text = unescaped(cursor.string());
        if (key == "device") device_name_ = text;
        if (key == "options") device_options_ = text;
    }
}

void DumpFile::read(bool& has_data) {
    const std::string_view text = file_.text();
    JsonCursor cursor(text);
    if (cursor.peek() != '{') throw Error(ErrorKind::kFormat, "it is no JSON object");
    cursor.enter_object();
    std::string_view key;
    while (cursor.next_key(key)) {
        const char kind = cursor.peek();
        if (key == "data" && kind == '{') {
            has_data = true;
            cursor.enter_object();
            std::string_view name;
            while (cursor.next_key(name)) {
                const std::string_view value = cursor.skip();
                records_.push_back({.name = unescaped(name),
                                    .text = value,
                                    .place = static_cast<size_t>(value.data() - text.data())});
            }
        } else if (key == kOwnFacts && kind == '{') {
            read_device(cursor);
        } else if (kind == '"' && (key == "task" || key == "level")) {
            (key == "task" ? task_ : level_) = unescaped(cursor.string());
        } else {
            cursor.skip();
        }
    }
    cursor.require_end();
}

}  // namespace npuscope::msprobe
