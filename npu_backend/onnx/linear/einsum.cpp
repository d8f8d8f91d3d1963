// Einsum: every operand brought to all letters, multiplied, summed; pairs of matrices through bmm.
#include <algorithm>
#include <map>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"

namespace npuscope::onnx_model {

namespace {

/// Letters of one term; an ellipsis becomes capital-free place holders '0', '1', … from the right.
std::string letters_of(const NodeRun& node, const std::string& term, size_t hidden) {
    std::string letters;
    for (size_t i = 0; i < term.size(); ++i) {
        if (term[i] == ' ') continue;
        if (term.compare(i, 3, "...") == 0) {
            for (size_t k = hidden; k-- > 0;)
                letters += static_cast<char>('0' + k);
            i += 2;
            continue;
        }
        const char c = term[i];
        node.require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
                     "its equation holds something that is no letter");
        letters += c;
    }
    return letters;
}

struct Operand {
    Tensor tensor;
    std::string letters;
};

/// A letter that stands twice is a diagonal.
void take_diagonals(NodeRun& node, Operand& operand) {
    for (size_t i = 0; i < operand.letters.size(); ++i) {
        const size_t again = operand.letters.find(operand.letters[i], i + 1);
        if (again == std::string::npos) continue;
        const auto a = static_cast<int64_t>(i);
        const auto b = static_cast<int64_t>(again);
        const int64_t size = operand.tensor.dim(a);
        node.require(operand.tensor.dim(b) == size, "a diagonal is not square");
        // Both axes to the end, seen as one, of which every (size + 1)th element is kept.
        IntList order;
        for (int64_t axis = 0; axis < operand.tensor.ndim(); ++axis)
            if (axis != a && axis != b) order.push_back(axis);
        Shape shape;
        std::string letters;
        for (const int64_t axis : order) {
            shape.push_back(operand.tensor.dim(axis));
            letters += operand.letters[static_cast<size_t>(axis)];
        }
        order.insert(order.end(), {a, b});
        shape.push_back(size * size);
        letters += operand.letters[i];
        const Tensor flat = ir::view(node, ir::permute(node, operand.tensor, order), shape);
        IntList kept = ir::iota(size);
        for (int64_t& at : kept)
            at *= size + 1;
        operand = {ir::take(node, flat, flat.ndim() - 1, kept), letters};
        i = static_cast<size_t>(-1);
    }
}

/// Sums the letters that `keep` does not have.
void sum_out(NodeRun& node, Operand& operand, const std::string& keep) {
    IntList axes;
    std::string letters;
    for (size_t i = 0; i < operand.letters.size(); ++i) {
        if (keep.find(operand.letters[i]) == std::string::npos)
            axes.push_back(static_cast<int64_t>(i));
        else
            letters += operand.letters[i];
    }
    if (axes.empty()) return;
    const DType dtype = operand.tensor.dtype();
    operand.tensor =
        ir::cast(node, ir::reduce(node, "sum_dim_IntList", operand.tensor, axes, false), dtype);
    operand.letters = letters;
}

/// The tensor with its axes in the order of `letters`, 1 where it has none.
Tensor spread(NodeRun& node, const Operand& operand, const std::string& letters) {
    IntList order;
    Shape shape;
    for (const char c : letters) {
        const size_t at = operand.letters.find(c);
        if (at != std::string::npos) order.push_back(static_cast<int64_t>(at));
        shape.push_back(at == std::string::npos ? 1 : operand.tensor.dim(static_cast<int64_t>(at)));
    }
    return ir::view(node, ir::permute(node, operand.tensor, order), shape);
}

/// a and b as stacks of matrices over their common letters.
Operand contracted(NodeRun& node, const Operand& a, const Operand& b, const std::string& keep) {
    const auto has = [](const std::string& letters, char c) {
        return letters.find(c) != std::string::npos;
    };
    const auto size = [](const Operand& o, char c) {
        return o.tensor.dim(static_cast<int64_t>(o.letters.find(c)));
    };
    std::string batch;
    std::string inner;
    std::string left;
    std::string right;
    bool equal = is_float(a.tensor.dtype());
    for (const char c : a.letters) {
        if (!has(b.letters, c)) {
            left += c;
            continue;
        }
        equal = equal && size(a, c) == size(b, c);
        (has(keep, c) ? batch : inner) += c;
    }
    for (const char c : b.letters)
        if (!has(a.letters, c)) right += c;
    if (inner.empty() || !equal) {
        // Nothing to multiply as matrices: an outer or element-wise product, then sums.
        const std::string all = batch + inner + left + right;
        Operand product{ir::mul(node, spread(node, a, all), spread(node, b, all)), all};
        sum_out(node, product, keep);
        return product;
    }
    Shape shape;
    int64_t counts[4] = {1, 1, 1, 1};
    const std::string* groups[4] = {&batch, &left, &right, &inner};
    for (size_t g = 0; g < 4; ++g)
        for (const char c : *groups[g]) {
            const int64_t dim = size(has(a.letters, c) ? a : b, c);
            counts[g] *= dim;
            if (g < 3) shape.push_back(dim);
        }
    const Tensor x =
        ir::view(node, spread(node, a, batch + left + inner), {counts[0], counts[1], counts[3]});
    const Tensor y =
        ir::view(node, spread(node, b, batch + inner + right), {counts[0], counts[3], counts[2]});
    return {ir::view(node, ir::matmul(node, x, y), shape), batch + left + right};
}

}  // namespace

void lower_einsum(NodeRun& node) {
    const std::string equation = node.attribute("equation", "");
    const size_t arrow = equation.find("->");
    std::vector<std::string> terms(1);
    for (const char c : equation.substr(0, arrow)) {
        if (c == ',')
            terms.emplace_back();
        else
            terms.back() += c;
    }
    node.require(terms.size() == node.input_count(), "its equation does not fit its inputs");
    std::vector<Operand> operands;
    size_t most_hidden = 0;
    std::map<char, int> uses;
    for (size_t i = 0; i < terms.size(); ++i) {
        const Tensor& x = node.input(i);
        const size_t named = letters_of(node, terms[i], 0).size();
        const size_t hidden = x.shape().size() - std::min(named, x.shape().size());
        node.require(named + hidden == x.shape().size() && hidden < 10 &&
                         (hidden == 0 || terms[i].find("...") != std::string::npos),
                     "a term of its equation does not fit its input");
        most_hidden = std::max(most_hidden, hidden);
        operands.push_back({x, letters_of(node, terms[i], hidden)});
        for (const char c : operands.back().letters)
            ++uses[c];
    }
    std::string result;
    if (arrow != std::string::npos) {
        result = letters_of(node, equation.substr(arrow + 2), most_hidden);
    } else {
        for (const auto& [c, count] : uses)
            if (count == 1 || (c >= '0' && c <= '9')) result += c;
        std::ranges::sort(result, [](char a, char b) {
            const bool da = a <= '9';
            const bool db = b <= '9';
            return da != db ? da : (da ? a > b : a < b);
        });
    }
    for (const char c : result)
        node.require(uses.contains(c), "its result has a letter that no input has");
    for (Operand& operand : operands)
        take_diagonals(node, operand);
    Operand total = operands[0];
    for (size_t i = 0; i < operands.size(); ++i) {
        std::string keep = result;
        for (size_t j = i + 1; j < operands.size(); ++j)
            keep += operands[j].letters;
        if (i > 0) {
            total = contracted(node, total, operands[i], keep);
        }
        sum_out(node, total, keep);
    }
    node.set_output(0, spread(node, total, result));
}

}  // namespace npuscope::onnx_model
