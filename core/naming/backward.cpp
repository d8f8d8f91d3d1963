#include "core/naming/backward.h"

namespace npuscope {

bool is_backward(std::string_view op) {
    return op.find("backward") != std::string_view::npos;
}

}  // namespace npuscope
