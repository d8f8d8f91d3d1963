#include "msaccucmp/folders/folder_kinds.h"

#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

namespace {

/// "the dump of an unquantised model on the NPU"
std::string description_of(const DumpFolder& folder) {
    const std::string quantised = folder.is_quant() ? "a quantised" : "an unquantised";
    if (folder.kind() == DumpKind::kOffline)
        return "the dump of " + quantised + " model on the NPU";
    return folder.kind() == DumpKind::kStandard ? "the dump of an original model"
                                                : "the dump of a quantised original model";
}

class Check {
  public:
    Check(const DumpFolder& my, const DumpFolder& golden, const CompareOptions& options)
        : my_(my),
          golden_(golden),
          f_(!options.fusion_rule_file.empty()),
          q_(!options.quant_fusion_rule_file.empty()),
          cf_(!options.close_fusion_rule_file.empty()) {}

    void run() const {
        if (my_.kind() == DumpKind::kStandard) refuse(kInvalidDumpType, "which cannot be compared");
        if (my_.kind() == DumpKind::kQuant) {
            check_quant();
        } else if (golden_.kind() == DumpKind::kOffline) {
            check_npu_npu();
        } else if (golden_.kind() == DumpKind::kStandard) {
            check_npu_standard();
        } else {
            check_npu_quant();
        }
    }

  private:
    [[noreturn]] void refuse(int code, const std::string& what) const {
        throw CommandError(code,
                           "-m holds " + description_of(my_) + " and -g " +
                               description_of(golden_) + ", " + what + ".");
    }
    void require(bool good, const std::string& what) const {
        if (!good) refuse(kInvalidParameter, what);
    }

    void check_quant() const {
        if (cf_) refuse(kInvalidDumpType, "where -cf is not used");
        if (golden_.kind() != DumpKind::kStandard)
            refuse(kInvalidDumpType, "which cannot be compared");
        if (!q_) refuse(kInvalidDumpType, "where -q is needed");
        if (f_) refuse(kInvalidDumpType, "where -f is not used");
    }
    void check_npu_npu() const {
        if (my_.is_quant() != golden_.is_quant())
            refuse(kInvalidDumpType, "which cannot be compared");
        require(!f_ || cf_, "where -f needs -cf");
        require(f_ || !cf_, "where -cf needs -f");
        require(!q_, "where -q is not used");
    }
    void check_npu_standard() const {
        require(f_, "where -f is needed");
        require(!cf_, "where -cf is not used");
        require(!my_.is_quant() || q_, "where -q is needed");
        require(my_.is_quant() || !q_, "where -q is not used");
    }
    void check_npu_quant() const {
        if (!my_.is_quant()) refuse(kInvalidDumpType, "which cannot be compared");
        require(f_, "where -f is needed");
        require(!q_ && !cf_, "where -q and -cf are not used");
    }

    const DumpFolder& my_;
    const DumpFolder& golden_;
    bool f_;
    bool q_;
    bool cf_;
};

}  // namespace

void check_kinds(const DumpFolder& my, const DumpFolder& golden, const CompareOptions& options) {
    Check(my, golden, options).run();
}

}  // namespace npuscope::msaccucmp
