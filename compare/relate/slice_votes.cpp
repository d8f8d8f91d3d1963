#include "compare/relate/slice_votes.h"

#include <algorithm>
#include <numeric>

namespace npuscope::compare {

SliceVotes::SliceVotes(std::vector<int64_t> tops, const std::vector<Hit>& hits, size_t least)
    : most_(least - 1) {
    std::vector<size_t> counts(tops.size());
    for (const Hit& hit : hits)
        ++counts[hit.top];
    distinct_ =
        static_cast<size_t>(std::ranges::count_if(counts, [](size_t count) { return count > 0; }));
    std::vector<size_t> order(tops.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t top) { return counts[top]; });
    std::vector<size_t> rank(tops.size());
    first_.push_back(0);
    for (size_t i = 0; i < order.size(); ++i) {
        rank[order[i]] = i;
        tops_.push_back(tops[order[i]]);
        first_.push_back(first_.back() + counts[order[i]]);
    }
    hits_.resize(hits.size());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const Hit& hit : hits)
        hits_[next[rank[hit.top]]++] = {rank[hit.top], hit.place};
}

void SliceVotes::count(const SliceForm& form,
                       size_t first,
                       size_t end,
                       const std::vector<int64_t>* among) {
    const int64_t last = form.step * (form.positions - 1);
    for (size_t top = first; top < end; ++top) {
        if (first_[top] == first_[top + 1]) continue;
        const int64_t place = place_in_source(form.first, tops_[top]);
        for (size_t i = first_[top]; i < first_[top + 1]; ++i) {
            const int64_t off = hits_[i].place - place;
            if (off < 0 || off > last) continue;
            const int64_t position = off / form.step;
            if (position * form.step != off ||
                (among != nullptr && !std::ranges::binary_search(*among, position)))
                continue;
            votes_.emplace_back(position, top);
        }
    }
}

void SliceVotes::look_at(const SliceForm& form) {
    votes_.clear();
    // A slice with more than most_ misses fewer than these, so that one of them votes for it.
    const size_t telling = tops_.size() - std::min(most_, tops_.size());
    count(form, 0, telling, nullptr);
    if (votes_.empty()) return;
    std::vector<int64_t> positions;
    for (const auto& [position, top] : votes_)
        positions.push_back(position);
    std::ranges::sort(positions);
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    count(form, telling, tops_.size(), &positions);
    std::ranges::sort(votes_);
    votes_.erase(std::unique(votes_.begin(), votes_.end()), votes_.end());
    for (auto first = votes_.begin(); first != votes_.end();) {
        const auto end = std::find_if(
            first, votes_.end(), [&](const auto& each) { return each.first != first->first; });
        if (const auto tops = static_cast<size_t>(end - first); tops > most_) {
            most_ = tops;
            best_ = form;
            position_ = first->first;
        }
        first = end;
    }
}

}  // namespace npuscope::compare
