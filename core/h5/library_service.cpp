#include "core/h5/library_service.h"

#include <utility>

#include "core/h5/index_transfer.h"
#include "core/h5/library_dataset.h"
#include "core/h5/library_indexer.h"
#include "core/h5/library_reader.h"
#include "core/h5/wire.h"

namespace npuscope::h5 {

LibraryService::LibraryService(std::filesystem::path path, int descriptor, bool limited)
    : path_(std::move(path)), descriptor_(descriptor), limited_(limited) {}

LibraryService::~LibraryService() {
    const LibraryLock lock;
    datasets_.clear();
    reader_.reset();
}

LibraryReader& LibraryService::reader() {
    if (!reader_)
        reader_ = std::make_unique<LibraryReader>(limited_ ? open_confined(descriptor_, path_)
                                                           : open_trusted(descriptor_, path_));
    return *reader_;
}

void LibraryService::answer(std::span<const std::byte> question,
                            ByteBuilder& out,
                            std::span<std::byte> shared) {
    const LibraryLock lock;
    Cursor in(question.data(), question.data() + question.size());
    const auto asked = static_cast<Question>(in.u8());
    reader().file().clear_refusal();
    switch (asked) {
        case Question::kOpen:
            return;
        case Question::kSize: {
            hsize_t bytes = 0;
            check(H5Fget_filesize(reader().file().file.get(), &bytes),
                  "cannot tell the size of " + reader().file().name("/"));
            return out.u64(bytes);
        }
        case Question::kResolve:
            return resolve(in, out);
        case Question::kAttributes:
        case Question::kObject:
        case Question::kTree:
            return index(asked, in, out);
        case Question::kLinks:
            return list_links(in, out);
        case Question::kElements:
            return open_elements(in, out);
        case Question::kRange:
            return read_range(in, shared);
        case Question::kForget:
            datasets_.erase(in.u64());
            return;
        case Question::kText:
            return put_text(out, reader().read_string(std::string(take_text(in))));
        case Question::kCopy:
            return copy(in, out);
    }
    throw Damaged{"an unknown question"};
}

void LibraryService::resolve(Cursor& in, ByteBuilder& out) {
    const OpenFile& file = reader().file();
    const LibraryIndexer indexer(file);
    const auto object = indexer.open(std::string(take_text(in)));
    const std::string refusal = file.refusal();
    const auto root = indexer.open("/");
    if (!root) throw Error(ErrorKind::kFormat, "cannot open the root of " + file.name("/"));
    out.u8(object ? 1 : 0);
    out.u8(object && object->place.file_number == root->place.file_number ? 1 : 0);
    out.u64(object ? object->place.address : kUndefinedAddress);
    put_text(out, object ? "" : refusal);
}

void LibraryService::index(Question question, Cursor& in, ByteBuilder& out) {
    const OpenFile& file = reader().file();
    LibraryIndexer indexer(file);
    const std::string path(take_text(in));
    const uint64_t file_bytes = in.u64();
    const auto object = indexer.open(path);
    out.u8(object ? 1 : 0);
    if (!object) return;
    IndexBuilder found(file_bytes);
    const int32_t node = found.add(-1, "");
    if (question == Question::kAttributes)
        LibraryIndexer::read_attributes(*object, node, found);
    else
        indexer.read_object(path, *object, node, found);
    if (question == Question::kTree) indexer.read_below(path, *object, node, found);
    put_index(found.finish({}, {}, nullptr, false), out);
}

void LibraryService::list_links(Cursor& in, ByteBuilder& out) {
    const LibraryIndexer indexer(reader().file());
    const std::string path(take_text(in));
    const auto object = indexer.open(path);
    out.u8(object ? 1 : 0);
    if (!object) return;
    std::string problem;
    const std::vector<LibraryLink> links = indexer.links(*object, problem);
    put_text(out, problem);
    out.u64(links.size());
    for (const LibraryLink& link : links) {
        put_text(out, link.name);
        out.u64(link.address.value_or(kUndefinedAddress));
    }
}

void LibraryService::open_elements(Cursor& in, ByteBuilder& out) {
    const std::string path(take_text(in));
    const auto part = in.u8() != 0 ? ElementPart::kRealPart : ElementPart::kWhole;
    auto dataset = std::make_unique<LibraryDataset>(reader().file(), path, part);
    out.u64(next_);
    out.u8(static_cast<uint8_t>(dataset->dtype()));
    put_numbers(out, dataset->shape());
    datasets_.emplace(next_++, std::move(dataset));
}

void LibraryService::read_range(Cursor& in, std::span<std::byte> shared) {
    const auto found = datasets_.find(in.u64());
    const auto first = static_cast<int64_t>(in.u64());
    const auto count = static_cast<int64_t>(in.u64());
    if (found == datasets_.end()) throw Damaged{"an unknown dataset"};
    LibraryDataset& dataset = *found->second;
    const int64_t numel = numel_of(dataset.shape());
    if (first < 0 || count < 0 || first > numel || count > numel - first ||
        static_cast<uint64_t>(count) > shared.size() / size_of(dataset.dtype()))
        throw Damaged{"elements that are not there"};
    dataset.read(first, count, shared.data());
}

void LibraryService::copy(Cursor& in, ByteBuilder& out) {
    const std::filesystem::path target(take_text(in));
    const bool exists = in.u8() != 0;
    Writer writer = exists ? Writer::open_existing(target) : Writer(target);
    for (uint64_t left = in.u64(); left > 0; --left) {
        const std::string name(take_text(in));
        writer.write_root_attribute({name, std::string(take_text(in))});
    }
    std::string taken;
    for (uint64_t left = in.u64(); left > 0 && taken.empty(); --left) {
        const std::string from(take_text(in));
        const std::string to(take_text(in));
        if (writer.exists(to))
            taken = to;
        else
            reader().copy_to(writer, from, to);
    }
    writer.close();
    put_text(out, taken);
}

}  // namespace npuscope::h5
