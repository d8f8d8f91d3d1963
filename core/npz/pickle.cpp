#include "core/npz/pickle.h"

#include <cstring>
#include <map>

#include "core/base/error.h"

namespace npuscope::npz {

namespace {

using Kind = PickleValue::Kind;

constexpr size_t kMostValues = size_t{1} << 22;
// torch.save wraps a tensor of a subclass once.
constexpr int kMostWrappedCalls = 32;
constexpr size_t kLongestName = 4096;

class Machine {
  public:
    Machine(std::span<const std::byte> image, const std::string& what)
        : rest_(image), what_(what) {}

    Pickle run() {
        while (!step(take_byte())) {
        }
        pickle_.root = pop();
        return std::move(pickle_);
    }

  private:
    [[noreturn]] void damaged(const std::string& problem) const {
        throw Error(ErrorKind::kFormat, what_ + " is damaged: " + problem);
    }
    std::span<const std::byte> take(uint64_t count) {
        if (count > rest_.size()) damaged("its pickle is cut short");
        const auto bytes = rest_.first(static_cast<size_t>(count));
        rest_ = rest_.subspan(static_cast<size_t>(count));
        return bytes;
    }
    unsigned take_byte() { return std::to_integer<unsigned>(take(1)[0]); }
    uint64_t take_unsigned(size_t count) {
        const auto bytes = take(count);
        uint64_t value = 0;
        for (size_t i = count; i-- > 0;)
            value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
        return value;
    }
    std::string take_text(uint64_t count) {
        const auto bytes = take(count);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    std::string take_line() {
        std::string line;
        for (char c = static_cast<char>(take_byte()); c != '\n'; c = static_cast<char>(take_byte()))
            line += c;
        return line;
    }

    size_t add(PickleValue value) {
        if (pickle_.values.size() >= kMostValues) damaged("its pickle has too many values");
        pickle_.values.push_back(std::move(value));
        return pickle_.values.size() - 1;
    }
    void push(PickleValue value) { stack_.push_back(add(std::move(value))); }
    void push(Kind kind, std::string text = {}) {
        PickleValue value;
        value.kind = kind;
        value.text = std::move(text);
        push(std::move(value));
    }
    void push_integer(int64_t number) {
        PickleValue value;
        value.kind = Kind::kInteger;
        value.integer = number;
        push(std::move(value));
    }
    size_t pop() {
        if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back()))
            damaged("its pickle takes more values than there are");
        const size_t top = stack_.back();
        stack_.pop_back();
        return top;
    }
    size_t top() {
        const size_t value = pop();
        stack_.push_back(value);
        return value;
    }
    std::vector<size_t> pop_to_mark() {
        if (marks_.empty()) damaged("its pickle lacks a mark");
        const auto start = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<size_t> items(start, stack_.end());
        stack_.erase(start, stack_.end());
        marks_.pop_back();
        return items;
    }
    void push_sequence(std::vector<size_t> items) {
        PickleValue value;
        value.kind = Kind::kSequence;
        value.items = std::move(items);
        push(std::move(value));
    }
    void push_last(size_t count) {
        std::vector<size_t> items(count);
        for (size_t i = count; i-- > 0;)
            items[i] = pop();
        push_sequence(std::move(items));
    }
    void extend_top(const std::vector<size_t>& items) {
        auto& target = pickle_.values[top()].items;
        target.insert(target.end(), items.begin(), items.end());
    }
    void recall(uint64_t number) {
        const auto at = memo_.find(number);
        if (at == memo_.end()) damaged("its pickle recalls what it never kept");
        stack_.push_back(at->second);
    }

    [[nodiscard]] bool rebuilds_from_type(size_t function, size_t arguments) const {
        return pickle_.values[function].text == "torch._tensor._rebuild_from_type_v2" &&
               pickle_.values[arguments].items.size() >= 3;
    }

    /// The result of a call, as far as it concerns tensors.
    size_t called(size_t function, size_t arguments) {
        // Arguments may contain themselves.
        for (int wrapped = 0; rebuilds_from_type(function, arguments); ++wrapped) {
            if (wrapped == kMostWrappedCalls) damaged("its pickle wraps a tensor too often");
            const auto& inner = pickle_.values[arguments].items;
            function = inner[0];
            arguments = inner[2];
        }
        const std::string& name = pickle_.values[function].text;
        const auto& args = pickle_.values[arguments].items;
        if ((name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor") &&
            args.size() >= 4) {
            PickleValue tensor;
            tensor.kind = Kind::kTensor;
            tensor.items.assign(args.begin(), args.begin() + 4);
            return add(std::move(tensor));
        }
        const bool wraps = name == "torch._utils._rebuild_parameter" || name == "torch.Size" ||
                           name == "torch._utils._rebuild_parameter_with_state";
        if (wraps && !args.empty()) return args[0];
        PickleValue result;
        if (name == "collections.OrderedDict" || name == "collections.defaultdict")
            result.kind = Kind::kDict;
        else
            result.text = maker(name, args);
        return add(std::move(result));
    }
    /// What made an object that is not known; helpers that rebuild any class are told its class.
    [[nodiscard]] std::string maker(const std::string& function,
                                    const std::vector<size_t>& args) const {
        const bool is_helper =
            function == "copyreg._reconstructor" || function == "copy_reg._reconstructor" ||
            function.ends_with("multiarray._reconstruct") || function.ends_with(".getattr");
        return is_helper && !args.empty() ? pickle_.values[args[0]].text : function;
    }
    void reduce() {
        const size_t arguments = pop();
        const size_t function = pop();
        stack_.push_back(called(function, arguments));
    }

    /// ("storage", class, key, location, numel)
    void persistent() {
        const auto& args = pickle_.values[pop()].items;
        PickleValue storage;
        if (args.size() >= 5 && pickle_.values[args[0]].text == "storage") {
            storage.kind = Kind::kStorage;
            storage.items = {args[1], args[2], args[4]};
        }
        push(std::move(storage));
    }

    void push_long(uint64_t count) {
        const auto bytes = take(count);
        // A larger number is the state of a random generator, say: nothing that tensors need.
        if (count > 9) return push(Kind::kOpaque);
        uint64_t value = 0;
        for (size_t i = 0; i < count && i < 8; ++i)
            value |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
        const bool negative = count > 0 && (std::to_integer<unsigned>(bytes[count - 1]) & 0x80u);
        if (negative && count < 8) value |= ~uint64_t{0} << (8 * count);
        push_integer(static_cast<int64_t>(value));
    }
    void push_float() {
        const auto bytes = take(8);
        uint64_t bits = 0;
        for (const std::byte b : bytes)
            bits = bits << 8 | std::to_integer<uint64_t>(b);
        PickleValue value;
        value.kind = Kind::kFloat;
        std::memcpy(&value.number, &bits, sizeof bits);
        push(std::move(value));
    }
    void stack_global() {
        const size_t name = pop();
        const size_t module = pop();
        std::string text = pickle_.values[module].text + "." + pickle_.values[name].text;
        // Names made of names could double with each step.
        if (text.size() > kLongestName) damaged("its pickle has too long a name");
        push(Kind::kGlobal, std::move(text));
    }

    /// True at the end.
    bool step(unsigned opcode) {
        switch (opcode) {
            case '.':
                return true;
            case 0x80:
                static_cast<void>(take_byte());
                break;
            case 0x95:
                static_cast<void>(take_unsigned(8));
                break;
            case '(':
                marks_.push_back(stack_.size());
                break;
            case '0':
                static_cast<void>(pop());
                break;
            case '1':
                static_cast<void>(pop_to_mark());
                break;
            case 'c': {
                const std::string module = take_line();
                push(Kind::kGlobal, module + "." + take_line());
                break;
            }
            case 0x93:
                stack_global();
                break;
            case 'R':
            case 0x81:
                reduce();
                break;
            case 0x92:  // with arguments by name
                static_cast<void>(pop());
                reduce();
                break;
            case 'b':
                // The state of an object says nothing of tensors' elements.
                static_cast<void>(pop());
                break;
            case 'Q':
                persistent();
                break;
            default:
                if (!step_scalar(opcode) && !step_container(opcode) && !step_memo(opcode))
                    throw Error(ErrorKind::kUnsupported,
                                what_ + " has the pickle opcode " + std::to_string(opcode) +
                                    ", which torch.save does not write for tensors");
        }
        return false;
    }

    bool step_scalar(unsigned opcode) {
        switch (opcode) {
            case 'N':
                push(Kind::kNone);
                return true;
            case 0x88:
            case 0x89:
                push_integer(opcode == 0x88 ? 1 : 0);
                return true;
            case 'J':
                push_integer(static_cast<int32_t>(take_unsigned(4)));
                return true;
            case 'K':
                push_integer(static_cast<int64_t>(take_unsigned(1)));
                return true;
            case 'M':
                push_integer(static_cast<int64_t>(take_unsigned(2)));
                return true;
            case 0x8a:
                push_long(take_byte());
                return true;
            case 0x8b:
                push_long(take_unsigned(4));
                return true;
            case 'G':
                push_float();
                return true;
            case 'X':
            case 'T':
            case 'B':
                push(Kind::kText, take_text(take_unsigned(4)));
                return true;
            case 0x8c:
            case 'U':
            case 'C':
                push(Kind::kText, take_text(take_unsigned(1)));
                return true;
            case 0x8d:
            case 0x8e:
            case 0x96:
                push(Kind::kText, take_text(take_unsigned(8)));
                return true;
            default:
                return false;
        }
    }

    bool step_container(unsigned opcode) {
        switch (opcode) {
            case ')':
            case ']':
            case 0x8f:
                push_sequence({});
                return true;
            case '}':
                push(Kind::kDict);
                return true;
            case 't':
            case 'l':
            case 0x91:
                push_sequence(pop_to_mark());
                return true;
            case 0x85:
            case 0x86:
            case 0x87:
                push_last(opcode - 0x84);
                return true;
            case 'a':
                extend_top({pop()});
                return true;
            case 'e':
            case 'u':
            case 0x90:
                extend_top(pop_to_mark());
                return true;
            case 's': {
                const size_t value = pop();
                const size_t key = pop();
                extend_top({key, value});
                return true;
            }
            default:
                return false;
        }
    }

    bool step_memo(unsigned opcode) {
        switch (opcode) {
            case '2':
                stack_.push_back(top());
                return true;
            case 'q':
                memo_[take_unsigned(1)] = top();
                return true;
            case 'r':
                memo_[take_unsigned(4)] = top();
                return true;
            case 0x94: {
                const uint64_t next = memo_.size();
                memo_[next] = top();
                return true;
            }
            case 'h':
                recall(take_unsigned(1));
                return true;
            case 'j':
                recall(take_unsigned(4));
                return true;
            default:
                return false;
        }
    }

    std::span<const std::byte> rest_;
    const std::string& what_;
    Pickle pickle_;
    std::vector<size_t> stack_;
    std::vector<size_t> marks_;
    std::map<uint64_t, size_t> memo_;
};

}  // namespace

Pickle parse_pickle(std::span<const std::byte> image, const std::string& what) {
    return Machine(image, what).run();
}

}  // namespace npuscope::npz
