#include "loss/log_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace npuscope::loss {

namespace {

// More steps back than this share of the records are ranks whose lines are mixed, no restarts.
constexpr double kMixedShare = 0.05;

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

void LogBuilder::add(const Record& record) {
    if (record.present == 0) return;
    rows_.push_back({record.step, record.rank, record.present, values_.size()});
    if (record.step != Record::kNoStep) ++with_step_;
    for (uint32_t left = record.present; left != 0; left &= left - 1)
        values_.push_back(record.values[static_cast<size_t>(std::countr_zero(left))]);
}

LogBuilder LogBuilder::joined(std::vector<LogBuilder> parts) {
    LogBuilder all;
    size_t rows = 0;
    size_t values = 0;
    for (const LogBuilder& part : parts) {
        rows += part.rows_.size();
        values += part.values_.size();
    }
    all.rows_.reserve(rows);
    all.values_.reserve(values);
    for (LogBuilder& part : parts) {
        for (Row row : part.rows_) {
            row.first += all.values_.size();
            all.rows_.push_back(row);
        }
        all.values_.insert(all.values_.end(), part.values_.begin(), part.values_.end());
        all.with_step_ += part.with_step_;
        part = LogBuilder();
    }
    return all;
}

double LogBuilder::value_of(const Row& row, Quantity quantity) const {
    const uint32_t before = row.present & ((1U << static_cast<unsigned>(quantity)) - 1U);
    return values_[row.first + static_cast<size_t>(std::popcount(before))];
}

void LogBuilder::keep_one_rank(Log& log) {
    std::map<int32_t, size_t> records;
    for (const Row& row : rows_)
        if (row.rank >= 0 && (row.present & 1U) != 0) ++records[row.rank];
    if (records.size() < 2) return;
    const auto most = std::max_element(
        records.begin(), records.end(), [](auto& a, auto& b) { return a.second < b.second; });
    std::erase_if(rows_, [&](const Row& row) { return row.rank >= 0 && row.rank != most->first; });
    log.remarks.push_back(
        fmt::format("{} ranks tell their loss; rank {} counts", records.size(), most->first));
}

void LogBuilder::number_steps(Log& log) {
    if (with_step_ * 2 >= rows_.size()) {
        std::erase_if(rows_, [](const Row& row) { return row.step == Record::kNoStep; });
        return;
    }
    for (size_t i = 0; i < rows_.size(); ++i)
        rows_[i].step = static_cast<int64_t>(i) + 1;
    log.remarks.emplace_back("no step numbers: the records are counted from 1");
}

std::vector<size_t> LogBuilder::chosen_rows(Log& log) const {
    size_t back = 0;
    for (size_t i = 1; i < rows_.size(); ++i)
        back += rows_[i].step < rows_[i - 1].step ? 1 : 0;
    const bool mixed =
        back > 3 && static_cast<double>(back) > kMixedShare * static_cast<double>(rows_.size());
    std::vector<size_t> chosen;
    std::vector<int64_t> restarts;
    size_t repeated = 0;
    size_t unlike = 0;
    std::map<int64_t, size_t> seen;  // where mixed
    for (size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const size_t* earlier = nullptr;
        if (mixed) {
            const auto [place, is_new] = seen.emplace(row.step, i);
            if (is_new) {
                chosen.push_back(i);
                continue;
            }
            earlier = &place->second;
        } else if (chosen.empty() || row.step > rows_[chosen.back()].step) {
            chosen.push_back(i);
            continue;
        } else if (row.step == rows_[chosen.back()].step) {
            earlier = &chosen.back();
        }
        if (earlier != nullptr) {
            const Row& first = rows_[*earlier];
            ++repeated;
            const bool both = (row.present & first.present & 1U) != 0;
            if (both && !same(value_of(row, Quantity::kLoss), value_of(first, Quantity::kLoss)))
                ++unlike;
            continue;
        }
        restarts.push_back(row.step);
        while (!chosen.empty() && rows_[chosen.back()].step >= row.step)
            chosen.pop_back();
        chosen.push_back(i);
    }
    if (mixed)
        std::sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
            return rows_[a].step < rows_[b].step;
        });
    for (size_t i = 0; i < std::min<size_t>(restarts.size(), 3); ++i)
        log.remarks.push_back(fmt::format(
            "the step goes back to {}: a restart, which counts from there on", restarts[i]));
    if (restarts.size() > 3)
        log.remarks.push_back(fmt::format("{} more restarts", restarts.size() - 3));
    if (unlike > 0)
        log.remarks.push_back(fmt::format(
            "{} records repeat a step, {} of them with another loss (of a validation or another "
            "rank?); the first counts",
            repeated,
            unlike));
    return chosen;
}

void LogBuilder::finish(Log& log) {
    keep_one_rank(log);
    number_steps(log);
    const std::vector<size_t> chosen = chosen_rows(log);
    for (size_t q = 0; q < kQuantities; ++q) {
        const auto count =
            static_cast<size_t>(std::count_if(chosen.begin(), chosen.end(), [&](size_t i) {
                return (rows_[i].present >> q & 1U) != 0;
            }));
        log.curves[q].steps.reserve(count);
        log.curves[q].values.reserve(count);
    }
    for (const size_t i : chosen) {
        const Row& row = rows_[i];
        for (uint32_t left = row.present; left != 0; left &= left - 1) {
            const auto quantity = static_cast<Quantity>(std::countr_zero(left));
            log.of(quantity).steps.push_back(row.step);
            log.of(quantity).values.push_back(value_of(row, quantity));
        }
    }
}

}  // namespace npuscope::loss
