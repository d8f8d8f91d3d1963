// Where in the program msprobe's records stand: construct.json and stack.json beside a dump.json.
#pragma once

#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/op_source.h"
#include "core/recording/msprobe/dump_file.h"
#include "core/recording/msprobe/json_cursor.h"

namespace npuscope::msprobe {

/// Tolerant: a file that is missing, damaged or of another shape tells nothing. The files are read
/// when the first op is asked for. Threads: any.
class Program {
  public:
    explicit Program(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// `module`: of an API what construct.json has it in, "no module" where that is null; of a
    /// module's own records, and of its parameters' gradients, its name. `line`: the innermost line
    /// of stack.json outside PyTorch, MindSpore and msprobe, "net.py:12". What a backward record or
    /// a gradient lacks is its forward record's.
    [[nodiscard]] OpSource place_of(const std::string& op) const;

    /// All records that the files name, in the order of construct.json, else of stack.json: what a
    /// dump of the structure alone has.
    [[nodiscard]] std::vector<std::string> records() const;

    [[nodiscard]] bool has_stack() const;
    [[nodiscard]] bool has_construct() const;

  private:
    void read() const;
    void read_construct(JsonCursor& cursor) const;
    void read_stack(JsonCursor& cursor) const;
    [[nodiscard]] std::string line_of(const std::string& op) const;
    /// A text of a file for as long as this lives.
    [[nodiscard]] std::string_view kept(std::string_view written) const;

    std::filesystem::path folder_;
    mutable std::once_flag once_;
    mutable std::optional<TextFile> construct_;  ///< what the texts below stand in
    mutable std::optional<TextFile> stack_;
    mutable std::deque<std::string> unescaped_;  ///< texts that stand otherwise in the files
    mutable std::unordered_map<std::string_view, std::string_view> modules_;
    mutable std::unordered_map<std::string_view, size_t> lines_;  ///< places in line_texts_
    mutable std::vector<std::string> line_texts_;
    mutable std::vector<std::string_view> in_construct_;
    mutable std::vector<std::string_view> in_stack_;
};

}  // namespace npuscope::msprobe
