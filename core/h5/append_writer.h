// Writes HDF5 files of groups and datasets without the library, safe at any moment: what a commit()
// made safe stays readable whatever happens to the process afterwards.
//
// Objects are appended once and never changed. A commit appends the headers of the groups that
// changed, up to the root's, and then switches to them by one write of the superblock's 48 bytes.
// docs/dump_format.md describes the protocol. Every HDF5 from 1.8 on reads the files.
//
// Threads: one thread at a time; no lock is taken.
// Errors:  Error(kIo) from the file system, Error(kUsage) for a name that is taken,
// Error(kInternal)
//          for a path that is none. After an error only the destructor may be called, or, when what
//          failed belongs below one group, drop_group() and then commit().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/h5/h5.h"
#include "core/h5/output_file.h"
#include "core/tensor/tensor.h"

namespace npuscope::h5 {

/// A message of another file's object header, as it stands there.
struct StoredMessage {
    uint8_t type = 0;
    std::span<const std::byte> content;
};

struct AppendOptions {
    std::vector<Attribute> root_attributes = {};  ///< of the first state
    /// A commit is on the disk when it returns: it survives a power cut too.
    bool sync = false;
};

class AppendWriter {
  public:
    /// Names an object of this file; never changes.
    using Address = uint64_t;

    /// The file appears under its name with the root and its attributes; one of that name is
    /// replaced.
    explicit AppendWriter(const std::filesystem::path& path, AppendOptions options = {});
    AppendWriter(std::unique_ptr<OutputFile> file, AppendOptions options);
    ~AppendWriter();  ///< closes; what was not committed is lost
    AppendWriter(AppendWriter&&) noexcept;
    AppendWriter& operator=(AppendWriter&&) noexcept;
    AppendWriter(const AppendWriter&) = delete;
    AppendWriter& operator=(const AppendWriter&) = delete;

    /// Paths are absolute; groups on the way are made. A group may be there already.
    void create_group(const std::string& path);
    /// As Writer::write_dataset(). Elements are borrowed for the call. `deflate` 1 to 9 compresses
    /// them (shuffle, deflate), unless they are few or hardly shrink; 0 does not.
    Address write_dataset(const std::string& path,
                          const TensorView& elements,
                          std::span<const Attribute> attributes,
                          int deflate = 0);
    /// Where read_back() finds the elements of the dataset that was written last; nowhere when they
    /// are compressed or none.
    [[nodiscard]] uint64_t elements_address() const;
    /// Bytes of the file as they were written.
    void read_back(uint64_t address, std::span<std::byte> bytes);
    /// As Writer::write_string().
    Address write_string(const std::string& path,
                         const std::string& text,
                         std::span<const Attribute> attributes);
    /// A contiguous dataset with the messages of another file's, all but the one of its place.
    Address write_stored(const std::string& path,
                         std::span<const StoredMessage> messages,
                         std::span<const std::byte> elements);
    /// Another name for a dataset of this file.
    void link(Address dataset, const std::string& path);
    /// Replaces an attribute of that name.
    void set_root_attribute(Attribute attribute);
    void remove_root_attribute(const std::string& name);
    [[nodiscard]] bool exists(const std::string& path) const;

    /// Nothing is added below the group any more: it is written, and its memory is given back.
    void finish_group(const std::string& path);
    /// Forgets a group that no commit has shown, with all below it; groups above it that hold
    /// nothing else go, too. Its elements stay behind, unused, except those that did not fit.
    void drop_group(const std::string& path) noexcept;
    /// What was written so far is safe when it returns. Nothing new: nothing is done.
    void commit();
    /// The last commit, with complete tables, and the end. Errors: as commit().
    void close();
    /// Upper bound of the file's size if it were closed now; its size since close().
    [[nodiscard]] uint64_t size() const;

  private:
    struct Group;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace npuscope::h5
