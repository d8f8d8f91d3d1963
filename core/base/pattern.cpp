#include "core/base/pattern.h"

#include <cctype>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope {

namespace {

constexpr size_t kMostInstructions = 20000;
constexpr size_t kMostRepeats = 1000;
constexpr size_t kDeepest = 100;
constexpr size_t kMostStacked = 10;

/// What an expression is made of.
struct Node {
    enum class Kind : uint8_t { kBytes, kBegin, kEnd, kSequence, kChoice, kRepeat };
    Kind kind = Kind::kSequence;
    Pattern::Bytes bytes{};
    std::vector<Node> parts{};
    size_t least = 0;
    std::optional<size_t> most{};  ///< empty: without end
};

Pattern::Bytes bytes_of(int (*holds)(int)) {
    Pattern::Bytes bytes;
    for (int byte = 0; byte < 128; ++byte)
        bytes[static_cast<size_t>(byte)] = holds(byte) != 0;
    return bytes;
}

/// Of the letter behind a backslash; empty where it stands for no class.
std::optional<Pattern::Bytes> class_of_letter(char letter) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    Pattern::Bytes bytes;
    if (lower == 'd') {
        bytes = bytes_of([](int byte) { return std::isdigit(byte); });
    } else if (lower == 's') {
        bytes = bytes_of([](int byte) { return std::isspace(byte); });
    } else if (lower == 'w') {
        bytes = bytes_of([](int byte) { return std::isalnum(byte); });
        bytes['_'] = true;
    } else {
        return std::nullopt;
    }
    return lower == letter ? bytes : ~bytes;
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Node parsed() {
        Node all = choice();
        if (at_ < text_.size()) reject("')' closes nothing");
        return all;
    }

  private:
    [[noreturn]] void reject(const std::string& why) const {
        throw Error(ErrorKind::kUsage,
                    "the regular expression " + in_quotes(std::string(text_)) +
                        " is wrong at character " + std::to_string(at_ + 1) + ": " + why);
    }
    [[nodiscard]] bool is_next(char sign) const { return at_ < text_.size() && text_[at_] == sign; }
    bool take(char sign) {
        if (!is_next(sign)) return false;
        ++at_;
        return true;
    }

    Node choice() {
        if (++depth_ > kDeepest) reject("groups are nested too deep");
        Node node{.kind = Node::Kind::kChoice};
        do {
            node.parts.push_back(sequence());
        } while (take('|'));
        --depth_;
        return node;
    }

    Node sequence() {
        Node node{.kind = Node::Kind::kSequence};
        while (at_ < text_.size() && !is_next('|') && !is_next(')'))
            node.parts.push_back(repeated(atom()));
        return node;
    }

    Node repeated(Node node) {
        for (size_t repeats = 0; at_ < text_.size(); ++repeats) {
            size_t least = 0;
            std::optional<size_t> most;
            if (take('*')) {
            } else if (take('+')) {
                least = 1;
            } else if (take('?')) {
                most = 1;
            } else if (take('{')) {
                counts(least, most);
            } else {
                return node;
            }
            if (repeats == kMostStacked) reject("too many repetitions of repetitions");
            Node repeat{.kind = Node::Kind::kRepeat, .least = least, .most = most};
            repeat.parts.push_back(std::move(node));
            node = std::move(repeat);
        }
        return node;
    }

    void counts(size_t& least, std::optional<size_t>& most) {
        least = number();
        most = least;
        if (take(',')) {
            most.reset();
            if (!is_next('}')) most = number();
        }
        if (!take('}')) reject("a '{' needs a '}' behind one or two numbers");
        if (most && *most < least) reject("the second number is less than the first");
    }

    size_t number() {
        if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0)
            reject("a number is missing");
        size_t value = 0;
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
            value = value * 10 + static_cast<size_t>(text_[at_++] - '0');
            if (value > kMostRepeats)
                reject("more than " + std::to_string(kMostRepeats) + " repetitions");
        }
        return value;
    }

    Node atom() {
        const char sign = text_[at_];
        if (sign == '*' || sign == '+' || sign == '?' || sign == '{')
            reject(std::string("'") + sign + "' repeats nothing");
        ++at_;
        if (sign == '(') return group();
        if (sign == '[') return set();
        if (sign == '^') return {.kind = Node::Kind::kBegin};
        if (sign == '$') return {.kind = Node::Kind::kEnd};
        if (sign == '.') return of(Pattern::Bytes().set());
        if (sign == '\\') return of(escaped());
        return of(single(sign));
    }

    Node group() {
        if (take('?') && !take(':')) reject("of groups that begin with '?' only (?:…) is known");
        Node node = choice();
        if (!take(')')) reject("a '(' is not closed");
        return node;
    }

    Pattern::Bytes escaped() {
        if (at_ >= text_.size()) reject("a backslash ends it");
        const char letter = text_[at_++];
        if (const auto known = class_of_letter(letter)) return *known;
        if (letter == 'n') return single('\n');
        if (letter == 't') return single('\t');
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            --at_;
            reject(std::string("\\") + letter + " is not known");
        }
        return single(letter);
    }

    Node set() {
        const bool negated = take('^');
        Pattern::Bytes bytes;
        // A bracket that comes first is one of the set.
        bool first = true;
        while (first || !is_next(']')) {
            if (at_ >= text_.size()) reject("a '[' is not closed");
            first = false;
            bytes |= member();
        }
        ++at_;
        return of(negated ? ~bytes : bytes);
    }

    /// One sign, a class or a range of a set.
    Pattern::Bytes member() {
        const char low = text_[at_++];
        if (low == '\\') return escaped();
        const bool range = is_next('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
        if (!range) return single(low);
        const char high = text_[at_ + 1];
        at_ += 2;
        Pattern::Bytes bytes;
        const auto from = static_cast<unsigned char>(low);
        const auto to = static_cast<unsigned char>(high);
        if (from > to) reject("a range that runs backwards");
        for (size_t byte = from; byte <= to; ++byte)
            bytes.set(byte);
        return bytes;
    }

    static Pattern::Bytes single(char sign) {
        Pattern::Bytes bytes;
        bytes.set(static_cast<unsigned char>(sign));
        return bytes;
    }
    static Node of(const Pattern::Bytes& bytes) {
        return {.kind = Node::Kind::kBytes, .bytes = bytes};
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t depth_ = 0;
};

/// Writes instructions; each node runs on behind its last one.
class Compiler {
  public:
    Compiler(std::vector<Pattern::Instruction>& program,
             std::vector<Pattern::Bytes>& sets,
             const std::string& text)
        : program_(program), sets_(sets), text_(text) {}

    void add(const Node& node) {
        switch (node.kind) {
            case Node::Kind::kBytes:
                sets_.push_back(node.bytes);
                emit({Pattern::Step::kByte, program_.size() + 1, 0, sets_.size() - 1});
                return;
            case Node::Kind::kBegin:
                emit({Pattern::Step::kBegin, program_.size() + 1});
                return;
            case Node::Kind::kEnd:
                emit({Pattern::Step::kEnd, program_.size() + 1});
                return;
            case Node::Kind::kSequence:
                for (const Node& part : node.parts)
                    add(part);
                return;
            case Node::Kind::kChoice:
                add_choice(node);
                return;
            case Node::Kind::kRepeat:
                add_repeat(node);
        }
    }

    size_t emit(const Pattern::Instruction& instruction) {
        if (program_.size() >= kMostInstructions)
            throw Error(ErrorKind::kUsage,
                        "the regular expression " + in_quotes(text_) +
                            " becomes too large: it repeats too much");
        program_.push_back(instruction);
        return program_.size() - 1;
    }

  private:
    void add_choice(const Node& node) {
        std::vector<size_t> ends;
        for (size_t i = 0; i + 1 < node.parts.size(); ++i) {
            const size_t split = emit({Pattern::Step::kSplit, program_.size() + 1});
            add(node.parts[i]);
            ends.push_back(emit({Pattern::Step::kSplit}));
            program_[split].other = program_.size();
        }
        add(node.parts.back());
        for (const size_t end : ends)
            program_[end].next = program_[end].other = program_.size();
    }

    void add_repeat(const Node& node) {
        const Node& part = node.parts.front();
        for (size_t i = 0; i < node.least; ++i)
            add(part);
        if (!node.most) {
            const size_t split = emit({Pattern::Step::kSplit, program_.size() + 1});
            add(part);
            emit({Pattern::Step::kSplit, split, split});
            program_[split].other = program_.size();
            return;
        }
        std::vector<size_t> splits;
        for (size_t i = node.least; i < *node.most; ++i) {
            splits.push_back(emit({Pattern::Step::kSplit, program_.size() + 1}));
            add(part);
        }
        for (const size_t split : splits)
            program_[split].other = program_.size();
    }

    std::vector<Pattern::Instruction>& program_;
    std::vector<Pattern::Bytes>& sets_;
    const std::string& text_;
};

}  // namespace

/// The instructions that a search stands at, each once.
class Pattern::States {
  public:
    explicit States(const Pattern& pattern)
        : pattern_(&pattern), seen_(pattern.program_.size(), 0) {}

    void clear() {
        waiting_.clear();
        ++turn_;
        matched_ = false;
    }

    /// With all that is reached without a byte.
    void add(size_t start, bool at_begin, bool at_end) {
        open_.assign(1, start);
        while (!open_.empty()) {
            const size_t place = open_.back();
            open_.pop_back();
            if (seen_[place] == turn_) continue;
            seen_[place] = turn_;
            const Instruction& step = pattern_->program_[place];
            if (step.step == Step::kMatch) matched_ = true;
            if (step.step == Step::kByte) waiting_.push_back(place);
            if (step.step == Step::kSplit) open_.push_back(step.other);
            if (step.step == Step::kSplit || (step.step == Step::kBegin && at_begin) ||
                (step.step == Step::kEnd && at_end))
                open_.push_back(step.next);
        }
    }

    [[nodiscard]] const std::vector<size_t>& waiting() const { return waiting_; }
    [[nodiscard]] bool matched() const { return matched_; }

  private:
    const Pattern* pattern_;
    std::vector<size_t> waiting_;  ///< for a byte
    std::vector<size_t> open_;
    std::vector<size_t> seen_;  ///< by instruction: the turn
    size_t turn_ = 0;
    bool matched_ = false;
};

Pattern::Pattern(std::string_view expression) : text_(expression) {
    const Node node = Parser(text_).parsed();
    Compiler compiler(program_, sets_, text_);
    compiler.add(node);
    compiler.emit({Step::kMatch});
}

bool Pattern::is_found_in(std::string_view text) const {
    States now(*this);
    States then(*this);
    now.clear();
    for (size_t i = 0;; ++i) {
        now.add(0, i == 0, i == text.size());
        if (now.matched()) return true;
        if (i == text.size()) return false;
        then.clear();
        for (const size_t place : now.waiting()) {
            const Instruction& step = program_[place];
            if (sets_[step.bytes][static_cast<unsigned char>(text[i])])
                then.add(step.next, false, i + 1 == text.size());
        }
        std::swap(now, then);
    }
}

}  // namespace npuscope
