#include "msaccucmp/h5/dump_index.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kMostRuns = 1000000;
constexpr int kDeepestGroup = 16;
constexpr int64_t kMostObjects = 20000;  ///< below one run

/// Runs of these two are counted together: both stand for one NPU op.
constexpr std::array<std::string_view, 2> kPooled = {"CudnnConvolutionBackward",
                                                     "ThnnConvDepthwise2DBackward"};

std::optional<int64_t> integer(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || failure != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// "/op/7/input/x" and "/op/7/input_2/x" are inputs: the third component starts with "input" and no
/// further letter.
bool is_input(const std::string& path) {
    size_t at = 0;
    for (int slashes = 0; at < path.size(); ++at)
        if (path[at] == '/' && ++slashes == 3) break;
    constexpr std::string_view kInput = "/input";
    if (path.compare(at, kInput.size(), kInput) != 0) return false;
    const size_t next = at + kInput.size();
    return next >= path.size() || path[next] < 'a' || path[next] > 'z';
}

int components(const std::string& path) {
    return static_cast<int>(std::count(path.begin(), path.end(), '/'));
}

}  // namespace

DumpIndex::DumpIndex(const h5::Index& file, Side side, bool inputs, Log& log)
    : file_(file), side_(side), log_(log), has_inputs_(side == Side::kGolden && inputs) {
    for (const std::string& warning : file.warnings())
        log_.warning(warning);
    name_runs();
    for (const auto& [order, groups] : orders_) {
        for (const Group& group : groups) {
            Run run{.name = group.name, .order = order, .datasets = {}, .by_path = {}};
            visited_ = 0;
            walk(run, group.node, "/" + group.name.op + "/" + std::to_string(order));
            runs_.push_back(std::move(run));
        }
    }
    for (size_t i = 0; i < runs_.size(); ++i) {
        const Run& run = runs_[i];
        last_order_ = std::max(last_order_.value_or(run.order), run.order);
        by_name_.emplace(run.name, i);
        by_op_and_order_[{run.name.op, run.order}].push_back(i);
    }
}

void DumpIndex::name_runs() {
    for (int32_t node = file_[0].first_child; node >= 0; node = file_[node].next_sibling) {
        const std::string op(file_[node].name);
        if (file_[node].kind != h5::ObjectKind::kGroup) {
            log_.warning("[" + op +
                         "] lies at the top of the file and is not an op; it is skipped.");
            continue;
        }
        if (std::find(kPooled.begin(), kPooled.end(), op) != kPooled.end()) {
            name_pooled(op);
            continue;
        }
        const Seqids seqids = seqids_of(node);
        if (seqids.size() > kMostRuns)
            throw CommandError(kIndexOutOfBounds, "The op " + op + " has more than 1000000 runs.");
        for (size_t k = 0; k < seqids.size(); ++k)
            add(seqids[k].first, {{op, static_cast<int64_t>(k)}, seqids[k].second});
    }
}

void DumpIndex::name_pooled(const std::string& op) {
    if (seen_ops_.contains(op)) return;
    struct Entry {
        int64_t order;
        size_t owner;
        int32_t group;
    };
    std::vector<Entry> pool;
    for (size_t owner = 0; owner < kPooled.size(); ++owner) {
        const int32_t node = file_.find(kPooled[owner]);
        if (node < 0 || file_[node].kind != h5::ObjectKind::kGroup) continue;
        for (const auto& [order, group] : seqids_of(node))
            pool.push_back({order, owner, group});
    }
    std::stable_sort(
        pool.begin(), pool.end(), [](const Entry& a, const Entry& b) { return a.order < b.order; });
    for (size_t k = 0; k < pool.size(); ++k) {
        // Where both ops own a seqid the later one has it, under the last index.
        if (k + 1 < pool.size() && pool[k + 1].order == pool[k].order) {
            log_.warning("[" + std::string(kPooled[pool[k].owner]) + "] and [" +
                         std::string(kPooled[pool[k + 1].owner]) + "] share the seqid " +
                         std::to_string(pool[k].order) + "; only the latter is compared.");
            continue;
        }
        const std::string name(kPooled[pool[k].owner]);
        add(pool[k].order, {{name, static_cast<int64_t>(k)}, pool[k].group});
    }
}

DumpIndex::Seqids DumpIndex::seqids_of(int32_t op) {
    Seqids seqids;
    for (int32_t node = file_[op].first_child; node >= 0; node = file_[node].next_sibling) {
        const auto number = integer(file_[node].name);
        if (number) {
            seqids.emplace_back(*number, node);
        } else {
            log_.warning("[" + file_.path(node) + "] has no integer as seqid; it is skipped.");
        }
    }
    std::stable_sort(seqids.begin(), seqids.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    return seqids;
}

void DumpIndex::add(int64_t order, Group group) {
    seen_ops_.insert(group.name.op);
    const auto [at, is_new] = order_index_.emplace(order, orders_.size());
    if (is_new) orders_.emplace_back(order, std::vector<Group>{});
    orders_[at->second].second.push_back(std::move(group));
}

void DumpIndex::walk(Run& run, int32_t node, const std::string& path) {
    if (is_input(path)) {
        if (side_ == Side::kMy) has_inputs_ = true;
        if (!has_inputs_) return;
    }
    if (file_.attribute_count(node) > 0) {
        // Anything with an attribute is a leaf, a group too.
        if (file_.integer(node, "Type") == 0) take_dataset(run, node, path);
        return;
    }
    if (file_[node].kind != h5::ObjectKind::kGroup) {
        log_.warning("[" + path + "] has no attributes, so it is no dumped tensor; it is skipped.");
        return;
    }
    if (file_[node].leads_back) {
        log_.warning("[" + path + "] is a group above itself; it is skipped.");
        return;
    }
    if (components(path) > kDeepestGroup) {
        log_.warning("[" + path + "] is nested too deeply; it is skipped.");
        return;
    }
    for (int32_t child = file_[node].first_child; child >= 0; child = file_[child].next_sibling) {
        if (++visited_ > kMostObjects) {
            if (visited_ == kMostObjects + 1)
                log_.warning("[" + path + "] holds too many objects; the rest is skipped.");
            return;
        }
        walk(run, child, path + "/" + std::string(file_[child].name));
    }
}

void DumpIndex::take_dataset(Run& run, int32_t node, const std::string& path) {
    if (components(path) < 4) {
        log_.warning("[" + path + "] lies outside /op/seqid/input or output; it is skipped.");
        return;
    }
    run.by_path.emplace(path, run.datasets.size());
    run.datasets.push_back({path, node});
    if (!device_type_ || *device_type_ == 0) device_type_ = file_.integer(node, "DeviceType");
}

const Run* DumpIndex::find(const RunName& name) const {
    const auto at = by_name_.find(name);
    if (at == by_name_.end() || runs_[at->second].datasets.empty()) return nullptr;
    return &runs_[at->second];
}

int64_t DumpIndex::order_of(const RunName& name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? order_after_last() : runs_[at->second].order;
}

const Dataset* DumpIndex::find_dataset(const RunName& name,
                                       int64_t order,
                                       const std::string& path) const {
    if (const Run* run = find(name))
        if (const auto at = run->by_path.find(path); at != run->by_path.end())
            return &run->datasets[at->second];
    const auto runs = by_op_and_order_.find({name.op, order});
    if (runs == by_op_and_order_.end()) return nullptr;
    for (const size_t index : runs->second)
        if (const auto at = runs_[index].by_path.find(path); at != runs_[index].by_path.end())
            return &runs_[index].datasets[at->second];
    return nullptr;
}

bool DumpIndex::has_tensors() const {
    return std::any_of(
        runs_.begin(), runs_.end(), [](const Run& run) { return !run.datasets.empty(); });
}

}  // namespace npuscope::msaccucmp
