// Bytes made small enough to stand in a page.
#pragma once

#include <string>
#include <string_view>

namespace npuscope::page {

/// gzip (RFC 1952), then base64 (RFC 4648). Errors: Error(kInternal).
[[nodiscard]] std::string packed(std::string_view bytes);

}  // namespace npuscope::page
