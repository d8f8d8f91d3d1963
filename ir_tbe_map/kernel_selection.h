// Which kernels and tensors an acl.json selects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir_tbe_map/acl_config.h"

namespace npuscope::ir_tbe_map {

/// What the selection knows of a kernel.
struct KernelNames {
    std::string_view type;
    bool conversion = false;   ///< a compiler puts it around an operator
    std::string_view op_name;  ///< of the kernel, as in its file's name
    std::string op;            ///< {IR name}_{seqid}
    std::string_view node;     ///< of the model; may be empty
};

/// Keeps where it is between the begin and the end of a range. Borrows the configuration.
class KernelSelection {
  public:
    /// Errors: Error(kUsage) when nothing can be selected: another model's name, or single
    /// operators with the switch off.
    KernelSelection(const AclConfig& config, const std::string& model, const std::string& source);

    /// Asked once a kernel, in launch order.
    [[nodiscard]] bool keeps(const KernelNames& kernel);
    /// Of a kernel that is kept.
    [[nodiscard]] bool keeps_tensor(const KernelNames& kernel, bool input, size_t index) const;

  private:
    const AclConfig& config_;
    std::vector<const ModelSelection*> rows_;
    std::vector<const std::pair<std::string, std::string>*> open_;
};

}  // namespace npuscope::ir_tbe_map
