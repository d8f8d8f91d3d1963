#include "msaccucmp/h5/h5_compare.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>

#include "core/base/csv_line.h"
#include "core/dumpfile/layout.h"
#include "core/parallel/parallel_for.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/paths.h"
#include "msaccucmp/base/result_file.h"
#include "msaccucmp/columns/advisor.h"
#include "msaccucmp/columns/algorithms.h"
#include "msaccucmp/columns/row.h"
#include "msaccucmp/h5/dump_index.h"
#include "msaccucmp/h5/filter.h"
#include "msaccucmp/h5/match.h"
#include "msaccucmp/h5/open_dump.h"
#include "msaccucmp/h5/prepare.h"

namespace npuscope::msaccucmp {

namespace {

constexpr uintmax_t kLargeFile = uintmax_t{100} << 20;

void check_h5_options(const CompareOptions& options) {
    if (!options.fusion_rule_file.empty() || !options.quant_fusion_rule_file.empty() ||
        !options.custom_script_path.empty() || options.op_name || options.mapping ||
        options.version != 2)
        throw CommandError(kInvalidParameter,
                           "The options [-f|-q|-c|-op|-map|-v] are not for .h5 dumps.");
}

void warn_if_large(const std::string& path, Log& log) {
    std::error_code failure;
    const uintmax_t size = std::filesystem::file_size(path, failure);
    if (!failure && size > kLargeFile)
        log.warning("The size (" + std::to_string(size) + ") of '" + path +
                    "' exceeds 100MB, so this may take a while.");
}

h5::Reader open_file(const std::string& path) {
    try {
        return h5::Reader(path);
    } catch (const Error& failure) {
        throw CommandError(kOpenFileError, failure.what());
    }
}

OpenDump open_dump(const std::string& path) {
    h5::Reader reader = open_file(path);
    try {
        h5::Index index = reader.index();
        return {std::move(reader), std::move(index)};
    } catch (const Error& failure) {
        throw CommandError(kParseDumpFileError, failure.what());
    }
}

/// The comparison of all tensors, rows sorted.
class TableMaker {
  public:
    TableMaker(const OpenDump& my_file,
               const OpenDump& golden_file,
               const DumpIndex& my,
               const Matcher& matcher,
               const std::vector<int>& algorithms,
               Log& log)
        : my_file_(my_file),
          golden_file_(golden_file),
          my_(my),
          matcher_(matcher),
          algorithms_(algorithms),
          log_(log) {}

    /// Large tensors one after the other, each over all threads; then small ones, a thread each.
    /// The rows do not depend on it.
    std::vector<Row> make(int threads) {
        for (size_t run = 0; run < my_.runs().size(); ++run) {
            const size_t count = my_.runs()[run].datasets.size();
            results_.emplace_back(count);
            for (size_t i = 0; i < count; ++i)
                tasks_.push_back({run, i});
        }
        done_.assign(tasks_.size(), false);
        std::vector<size_t> large;
        std::vector<size_t> small;
        for (size_t task = 0; task < tasks_.size(); ++task)
            (is_large(tasks_[task]) ? large : small).push_back(task);
        for (const size_t task : large)
            compare_one(task, threads);
        // Neighbours in the file share pages.
        std::stable_sort(small.begin(), small.end(), [&](size_t a, size_t b) {
            return node_of(tasks_[a]).storage_offset < node_of(tasks_[b]).storage_offset;
        });
        const size_t blocks = (small.size() + kBlock - 1) / kBlock;
        parallel_for(static_cast<int64_t>(blocks), threads, [&](int64_t block) {
            const size_t first = static_cast<size_t>(block) * kBlock;
            for (size_t i = first; i < std::min(small.size(), first + kBlock); ++i)
                compare_one(small[i], 1);
        });
        std::vector<Row> rows;
        for (size_t run = 0; run < results_.size(); ++run)
            add_run(run, rows);
        for (const Unmatched& missing : matcher_.unmatched_golden())
            rows.push_back(
                empty_row({.index = missing.index, .op = missing.op, .golden_path = missing.path},
                          algorithms_.size(),
                          "No partner for " + missing.path + " in my dump."));
        std::stable_sort(
            rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
        return rows;
    }

  private:
    struct Task {
        size_t run;
        size_t dataset;
    };
    struct Done {
        Row row;
        bool matched = false;
        LogLines lines;
    };

    static constexpr int64_t kLarge = int64_t{16} << 20;  ///< elements
    static constexpr size_t kBlock = 8;                   ///< tasks that a thread takes at a time
    static constexpr uint64_t kResident = uint64_t{32} << 20;  ///< bytes compared between releases

    const Dataset& dataset_of(const Task& task) const {
        return my_.runs()[task.run].datasets[task.dataset];
    }
    const h5::Node& node_of(const Task& task) const {
        return my_file_.index[dataset_of(task).node];
    }
    bool is_large(const Task& task) const {
        return numel_of(my_file_.index.shape(dataset_of(task).node)) >= kLarge;
    }

    static constexpr uint64_t kAroundFault = 16384;  ///< the system maps neighbouring pages, too

    /// Keeps the resident part of the mapped files small.
    void count_bytes(const Dataset& dataset) {
        const uint64_t bytes = my_file_.index[dataset.node].storage_bytes + kAroundFault;
        if (since_release_.fetch_add(bytes) + bytes < kResident) return;
        since_release_ = 0;
        my_file_.index.release_pages();
        golden_file_.index.release_pages();
    }

    void compare_one(size_t task, int threads) {
        log_.step();
        const auto [run_index, dataset_index] = tasks_[task];
        const Run& run = my_.runs()[run_index];
        Done& done = results_[run_index][dataset_index];
        if (dataset_index == 0)
            done.lines.emplace_back(Level::kInfo,
                                    "[" + run.name.op + "] Start to compare \"/" + run.name.op +
                                        "/" + std::to_string(run.order) + "\".");
        fill(run, run.datasets[dataset_index], threads, done);
        count_bytes(run.datasets[dataset_index]);
        std::string text;
        for (const std::string& cell : done.row.cells)
            text += (text.empty() ? "" : " ") + cell;
        done.lines.emplace_back(
            Level::kInfo,
            "[" + run.name.op + ":" + std::to_string(run.order) + "] Result: " + text);
        print_in_order(task);
    }

    void fill(const Run& run, const Dataset& dataset, int threads, Done& done) const {
        const Dataset* golden = matcher_.golden_of(run, dataset);
        done.matched = golden != nullptr;
        if (golden == nullptr) {
            const std::string reason = "No partner for " + dataset.path + " in the golden dump.";
            done.lines.emplace_back(Level::kWarning, reason);
            done.row = empty_row({.index = run.order, .op = run.name.op, .my_path = dataset.path},
                                 algorithms_.size(),
                                 reason);
        } else {
            const RowPair names{.index = run.order,
                                .op = run.name.op,
                                .my_path = dataset.path,
                                .golden_path = golden->path};
            try {
                const Pair pair =
                    prepare_pair(my_file_, dataset, golden_file_, *golden, done.lines);
                const AlgorithmTexts texts = run_algorithms({.x = *pair.x,
                                                             .y = *pair.y,
                                                             .is_scalar = pair.is_scalar,
                                                             .are_bools = pair.are_bools,
                                                             .x_name = dataset.path,
                                                             .y_name = golden->path},
                                                            algorithms_,
                                                            threads);
                pair.x->require_intact();
                pair.y->require_intact();
                for (const std::string& reason : texts.reasons)
                    done.lines.emplace_back(Level::kWarning, reason);
                done.row = full_row(names, pair.dtype, pair.shape, texts);
            } catch (const Error& failure) {
                done.lines.emplace_back(Level::kWarning, failure.what());
                done.row = empty_row(names, algorithms_.size(), failure.what());
            }
            done.row.golden_node = golden->node;
        }
        done.row.my_node = dataset.node;
    }

    /// Prints what is finished up to the first task that is not, so that the log has one order.
    void print_in_order(size_t task) {
        const std::lock_guard guard(mutex_);
        done_[task] = true;
        for (; next_to_print_ < tasks_.size() && done_[next_to_print_]; ++next_to_print_) {
            const Task& next = tasks_[next_to_print_];
            LogLines& lines = results_[next.run][next.dataset].lines;
            log_.write(lines);
            LogLines().swap(lines);
        }
    }

    void add_run(size_t index, std::vector<Row>& rows) {
        const Run& run = my_.runs()[index];
        std::vector<Done>& results = results_[index];
        if (results.empty()) {
            log_.warning("[" + run.name.op + "] has no comparable data.");
            return;
        }
        const bool none = std::none_of(
            results.begin(), results.end(), [](const Done& done) { return done.matched; });
        if (none) {
            rows.push_back(
                empty_row({.index = run.order, .op = run.name.op},
                          algorithms_.size(),
                          "No partner for the op " + run.name.op + " in the golden dump."));
            return;
        }
        for (Done& done : results)
            rows.push_back(std::move(done.row));
    }

    const OpenDump& my_file_;
    const OpenDump& golden_file_;
    const DumpIndex& my_;
    const Matcher& matcher_;
    const std::vector<int>& algorithms_;
    Log& log_;
    std::vector<Task> tasks_;
    std::vector<std::vector<Done>> results_;
    std::vector<bool> done_;
    std::mutex mutex_;
    size_t next_to_print_ = 0;
    std::atomic<uint64_t> since_release_{0};
};

void check_my_side(const DumpIndex& my) {
    if (!my.has_tensors())
        throw CommandError(kInvalidDumpData, "My dump (-m) has no tensors to compare.");
    if (my.device_type() != dumpfile::kDeviceNpu)
        throw CommandError(kInvalidDumpData,
                           "My dump (-m) was not made on an NPU (its DeviceType is not 10); are -m "
                           "and -g swapped?");
}

}  // namespace

int compare_h5(const CompareOptions& options, Log& log, int threads) {
    if (const int code = check_output_folder(options.output_path, log); code != kOk)
        throw CommandError(code, "");
    const std::vector<int> algorithms = select_algorithms(options.algorithm, log);
    static_cast<void>(parse_algorithm_options(options.algorithm_options));
    check_h5_options(options);
    warn_if_large(options.my_path, log);
    warn_if_large(options.golden_path, log);

    const std::filesystem::path folder = std::filesystem::canonical(options.output_path);
    const auto result = new_result_file(folder);
    const std::vector<std::string> columns = header(algorithms);
    result->write(csv_line(columns));

    const OpenDump my_file = open_dump(options.my_path);
    const DumpIndex my(my_file.index, DumpIndex::Side::kMy, true, log);
    check_my_side(my);
    const OpenDump golden_file = open_dump(options.golden_path);
    const DumpIndex golden(golden_file.index, DumpIndex::Side::kGolden, my.has_inputs(), log);

    const Matcher matcher(my, golden);
    const std::vector<Row> rows = result->fill([&] {
        return TableMaker(my_file, golden_file, my, matcher, algorithms, log).make(threads);
    });
    for (const Row& row : rows)
        result->write(csv_line(row.cells));
    result->close();
    log.info("The comparison result have been written to \"'" + result->path().string() + "'\".");
    if (options.post_process == 1)
        write_filtered(result->path(), columns, rows, my_file, golden_file, log);
    if (options.advisor) write_advice(advise(columns, rows, log), folder, log);
    return kOk;
}

}  // namespace npuscope::msaccucmp
