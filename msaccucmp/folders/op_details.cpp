// Finding the two tensors that -op asks for.
#include "msaccucmp/folders/op_details.h"

#include <algorithm>

#include "core/base/words.h"
#include "core/layout/format.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/fusion_group.h"

namespace npuscope::msaccucmp {

namespace {

constexpr int64_t kMostTop = 10000;
constexpr int64_t kFewestLines = 10000;
constexpr int64_t kMostLines = 1000000;

int64_t tensor_index(const std::string& text) {
    if (const auto index = natural(text)) return *index;
    throw CommandError(kInvalidParameter,
                       "The index '" + text + "' of -o or -i is no natural number.");
}

std::string spaced(std::string names) {
    std::replace(names.begin(), names.end(), ',', ' ');
    return names;
}

const DumpedTensor& tensor_at(const DumpedOp& op, const DetailRequest& request) {
    const auto& tensors = request.tensor.is_input ? op.inputs : op.outputs;
    if (request.tensor.index >= static_cast<int64_t>(tensors.size()))
        throw CommandError(kIndexOutOfBounds,
                           "The dump '" + op.path + "' has " + std::to_string(tensors.size()) +
                               (request.tensor.is_input ? " inputs" : " outputs") + "; number " +
                               std::to_string(request.tensor.index) + " is asked for.");
    return tensors[static_cast<size_t>(request.tensor.index)];
}

std::string index_names(const DumpedTensor& my, const std::string& weight_format) {
    if (has_depth(my.format)) return "N C D H W";
    if (my.format == static_cast<int64_t>(layout::Format::kFRACTAL_Z)) {
        std::string letters;
        for (const char letter : weight_format)
            letters += (letters.empty() ? "" : " ") + std::string(1, letter);
        return letters;
    }
    return my.shape.empty() ? "ID" : "N C H W";
}

std::string file_name_of(const DumpedOp& op) {
    return std::filesystem::path(op.path).filename().string();
}

DumpedOp read_or_end(const FolderEntry* entry, const std::string& what, Log& log) {
    if (entry == nullptr) throw CommandError(kNoDumpFile, "There is no dump file of " + what + ".");
    return read_entry(*entry, log);
}

int write_details_of(const FolderPair& folders, DetailWriter& writer, Log& log) {
    const DetailRequest& request = writer.request();
    const FusionGroup* group = folders.rule.group_of(request.op);
    const FusionOp& op = folders.rule.op_named(request.op);
    if (op.is_inner_node())
        throw CommandError(kUnsupportedCompare,
                           "'" + op.name + "' is part of another op and has no partner.");
    if (op.is_between_quants)
        throw CommandError(kUnsupportedCompare,
                           "'" + op.name + "' lies between quantisations and is not compared.");
    const DumpedOp dump =
        read_or_end(find_mine(folders, op.name), "mine for the op '" + op.name + "'", log);
    const DumpedTensor& my = tensor_at(dump, request);
    writer.remove_old_files();
    const ProducedBy source = produced_by(folders.rule, op, request.tensor);
    GoldenTensor golden = read_golden(folders, source.op->origin_of(source.output), log);
    const GroupNames names = names_of(folders.rule, *group);
    DetailedPair pair;
    pair.index_names = index_names(my, golden.format);
    const AlignedPair aligned =
        align(my,
              std::move(golden),
              {.are_both_original = folders.are_both_original(), .for_details = true});
    pair.my = aligned.my;
    pair.golden = aligned.golden;
    pair.my_names = spaced(names.my);
    pair.golden_names = names.golden.empty() ? "*" : spaced(names.golden);
    pair.dump_name = file_name_of(dump);
    writer.write(pair);
    return kOk;
}

int write_npu_details_of(const DumpFolder& my_folder,
                         const DumpFolder& golden_folder,
                         DetailWriter& writer,
                         Log& log) {
    const DetailRequest& request = writer.request();
    log.warning("Without a rule file the two dumps are taken for the same op.");
    const DumpedOp my =
        read_or_end(my_folder.find(request.op), "mine for the op '" + request.op + "'", log);
    const DumpedOp golden =
        read_or_end(golden_folder.find(request.op), "the golden op '" + request.op + "'", log);
    const DumpedTensor& x = tensor_at(my, request);
    const DumpedTensor& y = tensor_at(golden, request);
    if (x.shape != y.shape)
        throw CommandError(kInvalidDumpData,
                           "The shapes differ: " + to_string(x.shape) + " on my side, " +
                               to_string(y.shape) + " on the golden side.");
    if (x.format != y.format)
        throw CommandError(kInvalidFormat, "The two tensors are in different formats.");
    if (numel_of(x.shape) != x.data.values.numel() || numel_of(y.shape) != y.data.values.numel())
        throw CommandError(kInvalidDumpData,
                           "A dump of '" + request.op + "' has too few elements for its shape.");
    writer.remove_old_files();
    DetailedPair pair;
    pair.my = x.data.reshaped(x.shape);
    pair.golden = y.data.reshaped(y.shape);
    pair.my_names = request.op;
    pair.golden_names = request.op;
    pair.index_names = has_depth(x.format) ? "N C D H W" : (x.shape.empty() ? "ID" : "N C H W");
    pair.dump_name = file_name_of(my);
    writer.write(pair);
    return kOk;
}

/// What cannot be compared ends the command here, with its own code.
template <class Work>
int with_codes(const Work& work) {
    try {
        return work();
    } catch (const CompareFailure& failure) {
        throw CommandError(failure.code(), failure.what());
    }
}

}  // namespace

DetailRequest::DetailRequest(const CompareOptions& options)
    : op(*options.op_name), top(options.topn), only_top(options.ignore_single_op_result) {
    if (options.max_line) {
        lines = *options.max_line;
        if (lines < kFewestLines || lines > kMostLines)
            throw CommandError(kInvalidParameter,
                               "-ml must be " + std::to_string(kFewestLines) + " to " +
                                   std::to_string(kMostLines) + ", not " + std::to_string(lines) +
                                   ".");
    }
    if (options.input_tensor && !options.input_tensor->empty())
        tensor = {.index = tensor_index(*options.input_tensor), .is_input = true};
    if (options.output_tensor && !options.output_tensor->empty())
        tensor = {.index = tensor_index(*options.output_tensor), .is_input = false};
}

void DetailRequest::check() const {
    constexpr std::string_view kOthers = "_./:()=\\-";
    for (const char c : op)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
            kOthers.find(c) == std::string_view::npos)
            throw CommandError(kInvalidParameter,
                               "The op name '" + op +
                                   "' has characters other than A-Z a-z 0-9 _ . / : ( ) = \\ -");
    if (top < 1 || top > kMostTop)
        throw CommandError(
            kIndexOutOfBounds,
            "-n must be 1 to " + std::to_string(kMostTop) + ", not " + std::to_string(top) + ".");
}

std::string DetailRequest::file_prefix() const {
    std::string prefix = op;
    std::replace(prefix.begin(), prefix.end(), '/', '_');
    return prefix + (tensor.is_input ? "_input_" : "_output_") + std::to_string(tensor.index);
}

int write_details(const FolderPair& folders, DetailWriter& writer, Log& log) {
    return with_codes([&] { return write_details_of(folders, writer, log); });
}

int write_npu_details(const DumpFolder& my,
                      const DumpFolder& golden,
                      DetailWriter& writer,
                      Log& log) {
    return with_codes([&] { return write_npu_details_of(my, golden, writer, log); });
}

}  // namespace npuscope::msaccucmp
