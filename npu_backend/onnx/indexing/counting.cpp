// NonMaxSuppression and TfIdfVectorizer: choices and counts that the host makes.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "core/tensor/op_budget.h"
#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

struct Box {
    double top, left, bottom, right;
    [[nodiscard]] double area() const { return (bottom - top) * (right - left); }
};

Box read_box(const Tensor& boxes, int64_t row, bool by_centre) {
    const double a = boxes.at(row * 4);
    const double b = boxes.at(row * 4 + 1);
    const double c = boxes.at(row * 4 + 2);
    const double d = boxes.at(row * 4 + 3);
    if (by_centre) return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
    return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

double overlap(const Box& a, const Box& b) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    if (height <= 0 || width <= 0) return 0;
    return height * width / (a.area() + b.area() - height * width);
}

/// Of holding a box against another.
constexpr int64_t kStepsOfPair = 32;

double single(const NodeRun& node, size_t index, double otherwise) {
    if (!node.has_input(index) || node.input(index).numel() == 0) return otherwise;
    return node.number(index);
}

}  // namespace

/// For each batch and class: boxes by falling score, unless they overlap a chosen one too much.
void lower_non_max_suppression(NodeRun& node) {
    const Tensor& boxes = node.input(0);
    const Tensor& scores = node.input(1);
    node.require(boxes.ndim() == 3 && scores.ndim() == 3 && boxes.dim(2) == 4 &&
                     boxes.dim(0) == scores.dim(0) && boxes.dim(1) == scores.dim(2),
                 "boxes and scores do not fit each other");
    const double most = single(node, 2, 0);
    const double limit = single(node, 3, 0);
    const bool has_lowest = node.has_input(4) && node.input(4).numel() > 0;
    const double lowest = single(node, 4, 0);
    const bool by_centre = node.attribute("center_point_box", int64_t{0}) != 0;
    const int64_t count = boxes.dim(1);
    std::vector<Box> all;
    for (int64_t i = 0; i < boxes.dim(0) * count; ++i)
        all.push_back(read_box(boxes, i, by_centre));
    IntList chosen;
    for (int64_t batch = 0; batch < scores.dim(0); ++batch)
        for (int64_t kind = 0; kind < scores.dim(1); ++kind) {
            const auto score = [&](int64_t i) {
                return scores.at((batch * scores.dim(1) + kind) * count + i);
            };
            const auto box = [&](int64_t i) -> const Box& {
                return all[static_cast<size_t>(batch * count + i)];
            };
            IntList order = ir::iota(count);
            std::erase_if(order, [&](int64_t i) { return has_lowest && !(score(i) > lowest); });
            std::ranges::stable_sort(order,
                                     [&](int64_t a, int64_t b) { return score(a) > score(b); });
            IntList kept;
            for (const int64_t i : order) {
                if (static_cast<double>(kept.size()) >= most) break;
                OpBudget::take_steps({static_cast<int64_t>(kept.size()), kStepsOfPair});
                if (std::ranges::any_of(kept,
                                        [&](int64_t k) { return overlap(box(i), box(k)) > limit; }))
                    continue;
                kept.push_back(i);
                chosen.insert(chosen.end(), {batch, kind, i});
            }
        }
    const auto rows = static_cast<int64_t>(chosen.size() / 3);
    node.set_output(0, Tensor::from<int64_t>({rows, 3}, chosen));
}

/// How often a gram occurs in a row with `skip` elements between its parts.
int64_t count_gram(std::span<const int64_t> row, std::span<const int64_t> gram, int64_t skip) {
    const auto size = static_cast<int64_t>(gram.size());
    const auto length = static_cast<int64_t>(row.size());
    int64_t found = 0;
    for (int64_t from = 0; from + (size - 1) * (skip + 1) < length; ++from) {
        int64_t same = 0;
        while (same < size && row[static_cast<size_t>(from + same * (skip + 1))] ==
                                  gram[static_cast<size_t>(same)])
            ++same;
        found += same == size ? 1 : 0;
    }
    return found;
}

/// How often each n-gram of the pool occurs, with up to max_skip_count elements between its parts.
void lower_tf_idf_vectorizer(NodeRun& node) {
    const Tensor& x = node.input(0);
    node.require(x.ndim() == 1 || x.ndim() == 2, "its input must have one or two dimensions");
    const IntList pool = node.attribute("pool_int64s", IntList{});
    const IntList starts = node.attribute("ngram_counts", IntList{});
    const IntList columns = node.attribute("ngram_indexes", IntList{});
    const int64_t shortest = node.attribute("min_gram_length", int64_t{1});
    const int64_t longest = node.attribute("max_gram_length", int64_t{1});
    const int64_t skips = node.attribute("max_skip_count", int64_t{0});
    const std::vector<double> weights = node.floats_attribute("weights");
    const std::string mode = node.attribute("mode", "TF");
    node.require(mode == "TF" || mode == "IDF" || mode == "TFIDF", "mode is not TF, IDF or TFIDF");
    node.require(!columns.empty() && std::ranges::min(columns) >= 0 &&
                     std::ranges::max(columns) < (1 << 26) && shortest >= 1 &&
                     longest >= shortest && skips >= 0 && skips < (1 << 20),
                 "its attributes do not fit");
    const int64_t width = std::ranges::max(columns) + 1;
    const int64_t rows = x.ndim() == 1 ? 1 : x.dim(0);
    const int64_t length = x.dim(-1);
    require_host_size({rows, width});
    Tensor result = Tensor::zeros(DType::kFloat32, {rows, width});
    const auto out = result.mutable_as<float>();
    const IntList elements = node.ints(0);
    size_t gram = 0;
    for (size_t n = 1; n <= starts.size(); ++n) {
        const auto size = static_cast<int64_t>(n);
        const int64_t begin = starts[n - 1];
        const int64_t end = n < starts.size() ? starts[n] : static_cast<int64_t>(pool.size());
        node.require(begin >= 0 && begin <= end && end <= static_cast<int64_t>(pool.size()),
                     "ngram_counts do not fit the pool");
        for (int64_t at = begin; at + size <= end; at += size, ++gram) {
            node.require(gram < columns.size() && (weights.empty() || gram < weights.size()),
                         "ngram_indexes or weights do not fit the pool");
            if (size < shortest || size > longest) continue;
            const auto words = std::span<const int64_t>(pool).subspan(static_cast<size_t>(at), n);
            const int64_t last_skip = size == 1 ? 0 : skips;
            for (int64_t row = 0; row < rows; ++row) {
                const auto text = std::span<const int64_t>(elements).subspan(
                    static_cast<size_t>(row * length), static_cast<size_t>(length));
                int64_t found = 0;
                for (int64_t skip = 0; skip <= last_skip; ++skip)
                    found += count_gram(text, words, skip);
                const double weight = weights.empty() ? 1.0 : weights[gram];
                const double value = mode == "TF"    ? static_cast<double>(found)
                                     : mode == "IDF" ? (found > 0 ? weight : 0.0)
                                                     : static_cast<double>(found) * weight;
                out[static_cast<size_t>(row * width + columns[gram])] = static_cast<float>(value);
            }
        }
    }
    node.set_output(0, x.ndim() == 1 ? result.reshaped({width}) : result);
}

}  // namespace npuscope::onnx_model
