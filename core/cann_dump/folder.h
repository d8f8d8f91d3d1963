// A folder of dump files: which ops it holds, and in which files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/cann_dump/name.h"

namespace npuscope::cann_dump {

struct NamedFile {
    std::filesystem::path path;
    std::string name;  ///< the file's, or what mapping.csv has in its place
};

/// One op (NPU dumps) or one output of one (goldens).
struct FolderEntry {
    std::vector<NamedFile>
        files;  ///< by time, the newest last; parts of an FFTS+ op in their order
    TaskMode mode = TaskMode::kNormal;

    [[nodiscard]] const NamedFile& newest() const { return files.back(); }
    [[nodiscard]] int64_t timestamp() const { return timestamp_of(newest().name, mode); }
};

/// Takes what is worth a warning but no error.
using Remark = std::function<void(const std::string&)>;

class DumpFolder {
  public:
    struct Options {
        bool with_fusion_rule = false;
        bool keep_slices = false;  ///< -ffts: parts of FFTS+ ops are ops of their own
    };

    /// Errors: Error(kIo) no folder that can be read, DumpError(kFolder), (kTaskType).
    DumpFolder(const std::filesystem::path& path, const Options& options, const Remark& remark);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Never kNumpy: NumPy files are a standard or a quantised model's.
    [[nodiscard]] DumpKind kind() const { return kind_; }
    [[nodiscard]] bool is_quant() const { return quant_; }
    [[nodiscard]] bool has_npy() const { return has_npy_; }
    [[nodiscard]] const std::map<std::string, FolderEntry>& entries() const { return entries_; }

    using Named = std::pair<std::string, const FolderEntry*>;
    /// The entries by their time. Which of two of one time comes first is arbitrary, but fixed: the
    /// later name.
    [[nodiscard]] std::vector<Named> by_time() const;

    /// By the op's name in a model, and its output where the folder holds outputs. Null: none.
    [[nodiscard]] const FolderEntry* find(const std::string& op, int64_t output) const;
    [[nodiscard]] const FolderEntry* find(const std::string& op) const;

  private:
    void add(const NamedFile& file, const Options& options, const Remark& remark);

    std::filesystem::path path_;
    DumpKind kind_ = DumpKind::kOffline;
    bool has_kind_ = false;
    bool quant_ = false;
    bool has_npy_ = false;
    std::map<std::string, FolderEntry> entries_;
};

}  // namespace npuscope::cann_dump
