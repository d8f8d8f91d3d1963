#include "compare/growth/result_order.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "compare/growth/made_in_order.h"
#include "compare/growth/module_names.h"
#include "compare/growth/parameter_roles.h"

namespace npuscope::compare {

namespace {

/// Fewer names may be in the order of letters by chance.
constexpr size_t kFewNames = 6;

/// Of either end of a list of gradients, and how much farther off one has to be.
constexpr std::ptrdiff_t kEnd = 4;
constexpr double kFarther = 2;

/// Names that count (h0, h1, h2) stand in the order of letters and of time.
bool are_sorted(const Result& result) {
    std::vector<std::string_view> names;
    std::set<std::string> others;
    for (const OpResult& op : result.ops) {
        if (!op.is_pair()) continue;
        names.push_back(op.id.op);
        others.insert(without_numbers(op.id.op));
    }
    if (others.size() < kFewNames || !std::ranges::is_sorted(names)) return false;
    const std::string_view first = names.front();
    return first.empty() || std::isdigit(static_cast<unsigned char>(first.front())) == 0;
}

bool is_single(const OpResult& op) {
    return std::ranges::all_of(op.tensors,
                               [](const TensorResult& tensor) { return tensor.sums.numel <= 1; });
}

std::vector<size_t> all_places(const Result& result) {
    std::vector<size_t> places(result.ops.size());
    for (size_t place = 0; place < places.size(); ++place)
        places[place] = place;
    return places;
}

/// How far off some gradients are: the second nearest, since noise of sums that cancel is no
/// measure, nor is one that stands alone.
double distance_among(const Result& result, const std::vector<size_t>& places) {
    std::vector<double> norms;
    for (const size_t place : places)
        for (const TensorResult& tensor : result.ops[place].tensors)
            if (is_float_result(tensor)) norms.push_back(distance_of(tensor).norm);
    if (norms.size() < 2) return std::numeric_limits<double>::infinity();
    std::ranges::nth_element(norms, norms.begin() + 1);
    return norms[1];
}

/// Behind single numbers (losses), which stay in front.
std::vector<size_t> from_nearer_end(const Result& result) {
    std::vector<size_t> order = all_places(result);
    const auto first = std::stable_partition(
        order.begin(), order.end(), [&](size_t place) { return is_single(result.ops[place]); });
    if (order.end() - first < 2 * kEnd) return all_places(result);
    const double front = distance_among(result, {first, first + kEnd});
    const double back = distance_among(result, {order.end() - kEnd, order.end()});
    if (back * kFarther < front) std::reverse(first, order.end());
    return order;
}

}  // namespace

bool holds_parameter_gradients_alone(const Result& result) {
    const auto is_other = [](const OpResult& op) {
        return op.is_pair() && !names_parameter_gradient(op.id.op) && !is_single(op);
    };
    return result.by_calls && std::ranges::any_of(result.ops, &OpResult::is_pair) &&
           std::ranges::none_of(result.ops, is_other);
}

std::vector<size_t> result_order(const Result& result) {
    if (!result.by_calls) return all_places(result);
    if (are_sorted(result)) return {};
    if (holds_parameter_gradients_alone(result)) return from_nearer_end(result);
    const std::vector<ParameterRole> roles = parameter_roles(result);
    std::vector<size_t> order;
    for (size_t place = 0; place < roles.size(); ++place)
        if (roles[place] != ParameterRole::kGiven && roles[place] != ParameterRole::kLast)
            order.push_back(place);
    // They stand before or behind what the optimizer made them of.
    for (size_t place = 0; place < roles.size(); ++place)
        if (roles[place] == ParameterRole::kLast) order.push_back(place);
    return order;
}

}  // namespace npuscope::compare
