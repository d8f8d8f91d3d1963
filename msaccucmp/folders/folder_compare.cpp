#include "msaccucmp/folders/folder_compare.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "core/base/csv_line.h"
#include "core/parallel/parallel_for.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/columns/advisor.h"
#include "msaccucmp/columns/algorithm_set.h"
#include "msaccucmp/folders/folder_kinds.h"
#include "msaccucmp/folders/fusion_group.h"
#include "msaccucmp/folders/npu_pair.h"
#include "msaccucmp/folders/op_details.h"
#include "msaccucmp/folders/op_selection.h"
#include "msaccucmp/kernel_dumps/reading.h"

namespace npuscope::msaccucmp {

namespace {

/// Calls task(i, log) for all i on many threads; the log has the order of one thread.
void for_each_task(size_t count,
                   int threads,
                   Log& log,
                   const std::function<void(size_t, Log&)>& task) {
    std::vector<std::string> texts(count);
    parallel_for(static_cast<int64_t>(count), threads, [&](int64_t i) {
        log.step();
        std::ostringstream text;
        Log own(text);
        task(static_cast<size_t>(i), own);
        texts[static_cast<size_t>(i)] = text.str();
    });
    for (const std::string& text : texts)
        log.append(text);
}

/// An FFTS+ op's inputs were dumped with its first part only; the output that they come from is
/// whole, so its numbers stand in their rows.
void copy_producers_numbers(std::vector<GroupResult>& results, const TableFormat& format) {
    std::map<std::string, const OpRows*> producers;
    for (const GroupResult& result : results)
        for (const OpRows& op : result.ops)
            if (op.is_ffts) producers[op.op] = &op;
    const size_t first = columns_before_shape(format);
    for (GroupResult& result : results)
        for (OpRows& op : result.ops)
            for (size_t i = 0; op.is_ffts && i < std::min(op.inputs, op.producers.size()); ++i) {
                if (!op.producers[i]) continue;
                const auto producer = producers.find(op.producers[i]->op);
                if (producer == producers.end()) continue;
                const size_t row =
                    producer->second->inputs + static_cast<size_t>(op.producers[i]->index);
                if (row >= producer->second->rows.size()) continue;
                const auto& source = producer->second->rows[row].cells;
                std::copy(source.begin() + static_cast<std::ptrdiff_t>(first),
                          source.end(),
                          op.rows[i].cells.begin() + static_cast<std::ptrdiff_t>(first));
            }
}

std::filesystem::path output_folder(const std::string& path, Log& log) {
    const std::string real = canonical(path.empty() ? "." : path).string();
    require_output_folder(real, log);
    return real;
}

void check_rule_files(const CompareOptions& options, Log& log) {
    for (const std::string& file : {options.fusion_rule_file,
                                    options.quant_fusion_rule_file,
                                    options.close_fusion_rule_file}) {
        if (file.empty()) continue;
        require_path(canonical(file).string(), PathType::kFile, log);
    }
}

FusionRule rule_of(const CompareOptions& options, Log& log) {
    const bool has_f = !options.fusion_rule_file.empty();
    const bool has_q = !options.quant_fusion_rule_file.empty();
    FusionRule rule =
        FusionRule::read(has_f ? options.fusion_rule_file : options.quant_fusion_rule_file, log);
    if (has_f && has_q)
        return FusionRule::merge_quant(
            std::move(rule), FusionRule::read(options.quant_fusion_rule_file, log), log);
    if (has_f && !options.close_fusion_rule_file.empty())
        return FusionRule::merge_closed(
            std::move(rule), FusionRule::read(options.close_fusion_rule_file, log), log);
    return rule;
}

class FolderComparison {
  public:
    FolderComparison(const CompareOptions& options, std::ostream& out, Log& log, int threads)
        : options_(options),
          out_(out),
          log_(log),
          threads_(threads),
          has_rule_(!options.fusion_rule_file.empty() || !options.quant_fusion_rule_file.empty()) {}

    int run(const std::string& prefix) {
        std::optional<DetailRequest> details;
        if (options_.op_name && !options_.op_name->empty()) details.emplace(options_);
        const AlgorithmSet algorithms({.selection = options_.algorithm,
                                       .parameters = options_.algorithm_options,
                                       .custom_folder = options_.custom_script_path},
                                      log_);
        OpSelection selection(options_);
        check_rule_files(options_, log_);
        if (details) details->check();
        folder_ = output_folder(options_.output_path, log_);
        const DumpFolder::Options reading{.with_fusion_rule = !options_.fusion_rule_file.empty(),
                                          .keep_slices = options_.ffts};
        const DumpFolder my = open_folder(options_.my_path, reading, log_);
        const DumpFolder golden = open_folder(options_.golden_path, reading, log_);
        check_kinds(my, golden, options_);
        FusionRule rule;
        if (has_rule_) {
            rule = rule_of(options_, log_);
            selection.check(rule, log_);
        }
        const FolderPair folders{my, golden, rule};
        if (details) {
            DetailWriter writer(folder_, *details, out_, log_);
            return has_rule_ ? write_details(folders, writer, log_)
                             : write_npu_details(my, golden, writer, log_);
        }
        const auto groups = selection.groups_of(rule);
        if (options_.mapping) return write_mapping(folders, groups);
        format_ = {.algorithms = algorithms.names(),
                   .has_sequence = options_.has_sequence_column,
                   .has_overflow = options_.overflow_detection && !is_numpy(my),
                   .has_my_address = !my.has_npy(),
                   .has_golden_address = !golden.has_npy()};
        const auto file = new_result_file(folder_, prefix + "result_");
        file->write(csv_line(table_header(format_)));
        return file->fill([&] {
            auto results = has_rule_ ? compare_groups(folders, groups, algorithms)
                                     : compare_pairs(my, golden, algorithms);
            return finish(results, *file, rule.input_nodes);
        });
    }

  private:
    static bool is_numpy(const DumpFolder& folder) {
        return folder.entries().begin()->second.files.front().path.extension() == ".npy";
    }

    std::vector<GroupResult> compare_groups(const FolderPair& folders,
                                            const std::vector<const FusionGroup*>& groups,
                                            const AlgorithmSet& algorithms) {
        std::vector<GroupResult> results(groups.size());
        const FusionOptions options{
            .algorithms = algorithms, .format = format_, .most_elements = options_.max_cmp_size};
        for_each_task(groups.size(), threads_, log_, [&](size_t i, Log& log) {
            results[i] = compare_group(folders, *groups[i], options, log);
        });
        copy_producers_numbers(results, format_);
        return results;
    }

    std::vector<GroupResult> compare_pairs(const DumpFolder& my,
                                           const DumpFolder& golden,
                                           const AlgorithmSet& algorithms) {
        const auto pairs = pair_folders(my, golden);
        std::vector<GroupResult> results(pairs.size());
        for_each_task(pairs.size(), threads_, log_, [&](size_t i, Log& log) {
            results[i] = compare_npu_pair(pairs[i], algorithms, format_, log);
        });
        return results;
    }

    int write_mapping(const FolderPair& folders, const std::vector<const FusionGroup*>& groups) {
        std::vector<std::vector<Row>> rows(groups.size());
        const bool with_sequence = options_.has_sequence_column;
        for_each_task(groups.size(), threads_, log_, [&](size_t i, Log& log) {
            rows[i] = map_group(folders, *groups[i], with_sequence, log);
        });
        std::vector<Row> all;
        for (auto& each : rows)
            std::move(each.begin(), each.end(), std::back_inserter(all));
        std::vector<std::string> columns = {
            "Index", "OpType", "NPUDump", "GroundTruth", "TensorIndex", "NPUDumpPath"};
        columns.emplace_back("GroundTruthPath");
        if (with_sequence) columns.insert(columns.begin() + 1, "OpSequence");
        const auto file = new_result_file(folder_, "mapping_");
        file->write(csv_line(columns));
        write_sorted(all, *file);
        log_.info("The mapping has been written to \"'" + file->path().string() + "'\".");
        return kOk;
    }

    static void write_sorted(std::vector<Row>& rows, ResultFile& file) {
        std::stable_sort(
            rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
        for (const Row& row : rows)
            file.write(csv_line(row.cells));
        file.close();
    }

    int finish(std::vector<GroupResult>& results,
               ResultFile& file,
               const std::vector<std::string>& input_nodes) {
        int code = kOk;
        bool matched = false;
        std::vector<Row> rows;
        for (GroupResult& result : results) {
            if (code == kOk) code = result.code;
            matched = matched || result.matched;
            for (OpRows& op : result.ops)
                std::move(op.rows.begin(), op.rows.end(), std::back_inserter(rows));
        }
        write_sorted(rows, file);
        if (!matched) {
            log_.error("No op of my dump matches one of the golden dump.");
            return kNoDumpFile;
        }
        log_.info("The comparison result have been written to \"'" + file.path().string() + "'\".");
        if (options_.advisor)
            write_advice(advise(table_header(format_), rows, log_, input_nodes), folder_, log_);
        return code;
    }

    const CompareOptions& options_;
    std::ostream& out_;
    Log& log_;
    int threads_;
    bool has_rule_;
    std::filesystem::path folder_;
    TableFormat format_;
};

/// -advisor brings the column that it looks at, and is not for parts of a model.
CompareOptions with_advisor(CompareOptions options, Log& log) {
    if (!options.advisor) return options;
    if (options.range || options.select || options.op_name) {
        log.warning("-advisor has no effect with -r, -s and -op.");
        options.advisor = false;
    } else {
        log.warning("-advisor switches -overflow_detection on.");
        options.overflow_detection = true;
    }
    return options;
}

}  // namespace

int compare_folders(const CompareOptions& options, std::ostream& out, Log& log, int threads) {
    // The mapping has no numbers to advise on.
    const CompareOptions own = options.mapping ? options : with_advisor(options, log);
    return FolderComparison(own, out, log, threads).run("");
}

int compare_folders_as(const std::string& prefix,
                       const CompareOptions& options,
                       std::ostream& out,
                       Log& log,
                       int threads) {
    return FolderComparison(options, out, log, threads).run(prefix);
}

}  // namespace npuscope::msaccucmp
