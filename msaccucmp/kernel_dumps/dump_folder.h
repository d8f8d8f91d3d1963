// A folder of dump files: which ops it holds, and in which files.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "msaccucmp/base/log.h"
#include "msaccucmp/kernel_dumps/dump_name.h"

namespace npuscope::msaccucmp {

struct DumpFile {
    std::filesystem::path path;
    std::string name;  ///< the file's, or what mapping.csv has in its place
};

/// One op (NPU dumps) or one output of one (goldens).
struct FolderEntry {
    std::vector<DumpFile> files;  ///< by time, the newest last; parts of an FFTS+ op in their order
    TaskMode mode = TaskMode::kNormal;

    [[nodiscard]] const DumpFile& newest() const { return files.back(); }
    [[nodiscard]] int64_t timestamp() const { return timestamp_of(newest().name, mode); }
};

class DumpFolder {
  public:
    struct Options {
        bool with_fusion_rule = false;
        bool keep_slices = false;  ///< -ffts: parts of FFTS+ ops are ops of their own
    };

    /// Errors: CommandError(kInvalidPath), (kDumpFileError) no dump file, or kinds mixed,
    /// (kInvalidTaskType).
    DumpFolder(const std::string& path, const Options& options, Log& log);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Never kNumpy: NumPy files are a standard or a quantised model's.
    [[nodiscard]] DumpKind kind() const { return kind_; }
    [[nodiscard]] bool is_quant() const { return quant_; }
    [[nodiscard]] bool has_npy() const { return has_npy_; }
    [[nodiscard]] const std::map<std::string, FolderEntry>& entries() const { return entries_; }

    /// By the op's name in a model, and its output where the folder holds outputs. Null: none.
    [[nodiscard]] const FolderEntry* find(const std::string& op, int64_t output) const;
    [[nodiscard]] const FolderEntry* find(const std::string& op) const;

    /// For messages: "the dump of an unquantised model on the NPU".
    [[nodiscard]] std::string description() const;

  private:
    void add(const DumpFile& file, const Options& options, Log& log);

    std::filesystem::path path_;
    DumpKind kind_ = DumpKind::kOffline;
    bool has_kind_ = false;
    bool quant_ = false;
    bool has_npy_ = false;
    std::map<std::string, FolderEntry> entries_;
};

}  // namespace npuscope::msaccucmp
