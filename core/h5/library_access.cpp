#include "core/h5/library_access.h"

#include <sys/stat.h>

#include "core/base/error.h"
#include "core/h5/handle.h"
#include "core/h5/index_transfer.h"
#include "core/h5/library_service.h"
#include "core/h5/object_name.h"
#include "core/h5/trust.h"
#include "core/h5/wire.h"

namespace npuscope::h5 {

namespace {

// A file whose every object brings the library down would take for ever.
constexpr int kMostStarts = 8;

ByteBuilder asking(Question question) {
    ByteBuilder out;
    out.u8(static_cast<uint8_t>(question));
    return out;
}

ByteBuilder asking(Question question, const std::string& path) {
    ByteBuilder out = asking(question);
    put_text(out, path);
    return out;
}

uint64_t bytes_of(int descriptor) {
    struct stat facts {};
    return descriptor >= 0 && ::fstat(descriptor, &facts) == 0
               ? static_cast<uint64_t>(facts.st_size)
               : 0;
}

}  // namespace

LibraryAccess::LibraryAccess(std::filesystem::path path,
                             int descriptor,
                             std::optional<ChildLimits> limits)
    : path_(std::move(path)),
      descriptor_(descriptor),
      limits_(limits),
      answer_(std::make_unique<ByteBuilder>()) {
    if (files_are_trusted() || descriptor < 0)
        service_ = std::make_unique<LibraryService>(path_, descriptor_, false);
}

LibraryAccess::~LibraryAccess() = default;

template <class Read>
auto LibraryAccess::guarded(const Read& read) {
    const std::lock_guard lock(mutex_);
    try {
        return read();
    } catch (const Damaged& damage) {
        throw Error(ErrorKind::kFormat,
                    "the HDF5 library's process does not make sense of " + in_quotes(path_) + ": " +
                        damage.reason + "; the file is damaged");
    }
}

Cursor LibraryAccess::ask(const ByteBuilder& question,
                          const std::string& what,
                          std::span<std::byte> elements) {
    if (service_) {
        answer_->clear();
        try {
            service_->answer(question.bytes(), *answer_, elements);
        } catch (const Damaged& damage) {
            throw Error(ErrorKind::kInternal, damage.reason);
        }
        const auto bytes = answer_->bytes();
        return {bytes.data(), bytes.data() + bytes.size()};
    }
    for (bool was_asked_again = false;; was_asked_again = true) {
        start_child();
        try {
            const Cursor answer = child_->ask(question.bytes());
            if (!elements.empty())
                std::memcpy(elements.data(), child_->shared().data(), elements.size());
            return answer;
        } catch (const LibraryChild::Death& death) {
            child_.reset();
            // It may wait for a lock that a thread of this process held when it was forked, where
            // memory is not glibc's: another one does not.
            if (death.was_waiting && !was_asked_again) continue;
            throw Error(ErrorKind::kFormat,
                        "the HDF5 library " + death.how + " while reading " + what +
                            "; the file is damaged or made to do that");
        }
    }
}

void LibraryAccess::start_child() {
    if (child_) return;
    if (starts_ == kMostStarts)
        throw Error(ErrorKind::kFormat,
                    "the HDF5 library ended " + std::to_string(kMostStarts) +
                        " times while reading " + in_quotes(path_) +
                        " and is not asked again; the file is damaged");
    const LibraryLock lock;
    child_ = std::make_unique<LibraryChild>(
        path_, descriptor_, limits_.value_or(limits_for(bytes_of(descriptor_))));
    ++starts_;
}

void LibraryAccess::open() {
    guarded([&] { static_cast<void>(ask(asking(Question::kOpen), in_quotes(path_))); });
}

uint64_t LibraryAccess::file_bytes() {
    return guarded([&] { return ask(asking(Question::kSize), in_quotes(path_)).u64(); });
}

std::optional<LibraryAccess::Target> LibraryAccess::resolve(const std::string& path) {
    return guarded([&]() -> std::optional<Target> {
        Cursor in = ask(asking(Question::kResolve, path), object_name(path, path_));
        const bool found = in.u8() != 0;
        Target target;
        target.is_in_this_file = in.u8() != 0;
        target.address = in.u64();
        target.refusal = take_text(in);
        if (!found && target.refusal.empty()) return std::nullopt;
        return target;
    });
}

bool LibraryAccess::read_index(uint8_t question,
                               const std::string& path,
                               int32_t node,
                               IndexBuilder& out) {
    return guarded([&] {
        ByteBuilder asked = asking(static_cast<Question>(question), path);
        asked.u64(bytes_of(descriptor_));
        Cursor in = ask(asked, object_name(path, path_));
        if (in.u8() == 0) return false;
        out.clear_attributes();
        take_index(in, out, node);
        return true;
    });
}

bool LibraryAccess::read_attributes(const std::string& path, int32_t node, IndexBuilder& out) {
    return read_index(static_cast<uint8_t>(Question::kAttributes), path, node, out);
}

bool LibraryAccess::read_object(const std::string& path, int32_t node, IndexBuilder& out) {
    return read_index(static_cast<uint8_t>(Question::kObject), path, node, out);
}

bool LibraryAccess::read_tree(const std::string& path, int32_t node, IndexBuilder& out) {
    return read_index(static_cast<uint8_t>(Question::kTree), path, node, out);
}

std::optional<LibraryAccess::Links> LibraryAccess::links(const std::string& path) {
    return guarded([&]() -> std::optional<Links> {
        Cursor in = ask(asking(Question::kLinks, path), object_name(path, path_));
        if (in.u8() == 0) return std::nullopt;
        Links found;
        found.problem = take_text(in);
        for (uint64_t left = in.u64(); left > 0; --left) {
            Link& link = found.links.emplace_back();
            link.name = take_text(in);
            const uint64_t address = in.u64();
            if (address != kUndefinedAddress) link.address = address;
        }
        return found;
    });
}

void LibraryAccess::reopen(Dataset& dataset) {
    ByteBuilder question = asking(Question::kElements, dataset.path);
    question.u8(dataset.real_part ? 1 : 0);
    Cursor in = ask(question, object_name(dataset.path, path_));
    dataset.number = in.u64();
    const uint8_t dtype = in.u8();
    if (dtype >= all_dtypes().size()) throw Damaged{"an unknown dtype"};
    dataset.dtype = static_cast<DType>(dtype);
    dataset.shape = take_numbers(in);
    dataset.start = starts_;
}

LibraryAccess::Dataset LibraryAccess::open_dataset(const std::string& path, bool real_part) {
    return guarded([&] {
        Dataset dataset;
        dataset.path = path;
        dataset.real_part = real_part;
        reopen(dataset);
        return dataset;
    });
}

void LibraryAccess::read(Dataset& dataset, int64_t first, int64_t count, std::byte* target) {
    guarded([&] {
        const auto size = static_cast<int64_t>(size_of(dataset.dtype));
        const int64_t most =
            service_ ? count : static_cast<int64_t>(LibraryChild::kSharedBytes) / size;
        while (count > 0) {
            if (!service_ && (!child_ || dataset.start != starts_)) {
                const DType dtype = dataset.dtype;
                const Shape shape = dataset.shape;
                reopen(dataset);
                if (dataset.dtype != dtype || dataset.shape != shape)
                    throw Error(ErrorKind::kIo, in_quotes(path_) + " changed while it was read");
            }
            const int64_t piece = std::min(count, most);
            ByteBuilder question = asking(Question::kRange);
            question.u64(dataset.number);
            question.u64(static_cast<uint64_t>(first));
            question.u64(static_cast<uint64_t>(piece));
            static_cast<void>(ask(question,
                                  object_name(dataset.path, path_),
                                  {target, static_cast<size_t>(piece * size)}));
            first += piece;
            count -= piece;
            target += piece * size;
        }
    });
}

void LibraryAccess::close(const Dataset& dataset) noexcept {
    try {
        const std::lock_guard lock(mutex_);
        if (!service_ && (!child_ || dataset.start != starts_)) return;
        ByteBuilder question = asking(Question::kForget);
        question.u64(dataset.number);
        static_cast<void>(ask(question, object_name(dataset.path, path_)));
    } catch (const std::exception&) {
        // What is left of it goes with the library's process.
    }
}

std::string LibraryAccess::read_text(const std::string& path) {
    return guarded([&] {
        Cursor in = ask(asking(Question::kText, path), object_name(path, path_));
        return std::string(take_text(in));
    });
}

std::string LibraryAccess::copy(const std::filesystem::path& target,
                                bool exists,
                                std::span<const Attribute> root_attributes,
                                std::span<const std::pair<std::string, std::string>> paths) {
    return guarded([&] {
        ByteBuilder question = asking(Question::kCopy, std::filesystem::absolute(target).string());
        question.u8(exists ? 1 : 0);
        question.u64(root_attributes.size());
        for (const Attribute& attribute : root_attributes) {
            put_text(question, attribute.name);
            put_text(question, std::get<std::string>(attribute.value));
        }
        question.u64(paths.size());
        for (const auto& [from, to] : paths) {
            put_text(question, from);
            put_text(question, to);
        }
        Cursor in = ask(question, "what is copied of " + in_quotes(path_));
        return std::string(take_text(in));
    });
}

}  // namespace npuscope::h5
