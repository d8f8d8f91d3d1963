#include "overflow/flow.h"

#include <algorithm>
#include <iterator>

namespace npuscope::overflow {

namespace {

constexpr size_t kMostFlows = 64;

template <class Item>
void keep(const Item& item, std::vector<Item>& list, int64_t& count) {
    ++count;
    if (list.size() < kMostNamed) list.push_back(item);
}

void note(const Marks& results, OverflowFlow& flow) {
    flow.marks.non_finite = flow.marks.non_finite || results.non_finite;
    flow.marks.saturated = flow.marks.saturated || results.saturated;
}

}  // namespace

void add(const FlowIds& more, FlowIds& ids) {
    FlowIds both;
    std::ranges::set_union(ids, more, std::back_inserter(both));
    if (both.size() > kMostFlows) both.resize(kMostFlows);
    ids = std::move(both);
}

FlowIds Flows::born(const OverflowRecord& birth, const Marks& results) {
    OverflowFlow flow;
    flow.birth = birth;
    note(results, flow);
    flows_.push_back(std::move(flow));
    return {flows_.size() - 1};
}

void Flows::carried(const FlowIds& ids, const std::string& path, const Marks& results) {
    for (const size_t id : ids) {
        keep(path, flows_[id].carried, flows_[id].carried_count);
        note(results, flows_[id]);
    }
}

void Flows::killed(const FlowIds& ids, const FlowStop& stop) {
    for (const size_t id : ids)
        keep(stop, flows_[id].killed, flows_[id].killed_count);
}

void Flows::left_unread(const FlowIds& ids, const std::string& path) {
    for (const size_t id : ids)
        keep(path, flows_[id].unread, flows_[id].unread_count);
}

}  // namespace npuscope::overflow
