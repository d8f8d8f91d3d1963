#include "core/h5/link_table.h"

#include <algorithm>

namespace npuscope::h5 {

LinkTable::Few::iterator LinkTable::place_of(std::string_view name) {
    return std::lower_bound(few_.begin(), few_.end(), name, [](const auto& link, auto wanted) {
        return link.first < wanted;
    });
}

void LinkTable::put(std::string_view name, uint64_t object) {
    if (many_) return many_->put(name, object);
    const auto at = place_of(name);
    if (at != few_.end() && at->first == name) {
        at->second = object;
        return;
    }
    few_.emplace(at, name, object);
    if (in_header_ || few_.size() <= kMostInHeader) return;
    many_.emplace();
    for (const auto& [few_name, few_object] : few_)
        many_->put(few_name, few_object);
    few_ = {};
}

bool LinkTable::contains(std::string_view name) const {
    if (many_) return many_->contains(name);
    const auto at =
        std::lower_bound(few_.begin(), few_.end(), name, [](const auto& link, auto wanted) {
            return link.first < wanted;
        });
    return at != few_.end() && at->first == name;
}

uint64_t LinkTable::write_bound() const {
    if (many_) return many_->write_bound();
    constexpr uint64_t kHeader = 64;
    constexpr uint64_t kLink = 20;
    uint64_t bytes = kHeader;
    for (const auto& [name, object] : few_)
        bytes += kLink + name.size();
    return bytes;
}

uint64_t LinkTable::write(AppendFile& file,
                          HeaderBuilder& header,
                          const std::vector<Attribute>& attributes,
                          bool last) {
    if (many_) return many_->write(file, last);
    header.clear();
    header.group();
    for (const auto& [name, object] : few_)
        header.link(name, object);
    header.attributes(attributes);
    return file.append(header.build(), 8);
}

}  // namespace npuscope::h5
