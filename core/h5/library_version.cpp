#include "core/h5/library_version.h"

namespace npuscope::h5 {

namespace {

#if H5_VERSION_GE(1, 12, 0)

using ObjectFacts = H5O_info2_t;

herr_t ask(hid_t object, ObjectFacts& facts, unsigned fields) {
    return H5Oget_info3(object, &facts, fields);
}

constexpr unsigned kPlace = H5O_INFO_BASIC;
constexpr unsigned kAttributes = H5O_INFO_NUM_ATTRS;

std::optional<uint64_t> address_of(hid_t file, const H5O_token_t& token) {
    haddr_t address = HADDR_UNDEF;
    if (H5VLnative_token_to_addr(file, token, &address) < 0) return std::nullopt;
    return address;
}

#else

using ObjectFacts = H5O_info_t;

#if H5_VERSION_GE(1, 10, 3)
herr_t ask(hid_t object, ObjectFacts& facts, unsigned fields) {
    return H5Oget_info2(object, &facts, fields);
}
constexpr unsigned kPlace = H5O_INFO_BASIC;
constexpr unsigned kAttributes = H5O_INFO_NUM_ATTRS;
#else
herr_t ask(hid_t object, ObjectFacts& facts, unsigned) {
    return H5Oget_info(object, &facts);
}
constexpr unsigned kPlace = 0;
constexpr unsigned kAttributes = 0;
#endif

#endif

}  // namespace

std::optional<ObjectPlace> place_of(hid_t object) {
    ObjectFacts facts;
    if (ask(object, facts, kPlace) < 0) return std::nullopt;
#if H5_VERSION_GE(1, 12, 0)
    const auto address = address_of(object, facts.token);
    if (!address) return std::nullopt;
    return ObjectPlace{facts.fileno, *address};
#else
    return ObjectPlace{facts.fileno, facts.addr};
#endif
}

std::optional<uint64_t> attribute_count_of(hid_t object) {
    ObjectFacts facts;
    if (ask(object, facts, kAttributes) < 0) return std::nullopt;
    return facts.num_attrs;
}

std::optional<uint64_t> hard_link_address(hid_t group, const LinkFacts& link) {
    if (link.type != H5L_TYPE_HARD) return std::nullopt;
#if H5_VERSION_GE(1, 12, 0)
    return address_of(group, link.u.token);
#else
    static_cast<void>(group);
    return link.u.address;
#endif
}

herr_t each_link(hid_t group,
                 H5_index_t index,
                 hsize_t& position,
                 herr_t (*visit)(hid_t, const char*, const LinkFacts*, void*),
                 void* target) {
#if H5_VERSION_GE(1, 12, 0)
    return H5Literate2(group, index, H5_ITER_INC, &position, visit, target);
#else
    return H5Literate(group, index, H5_ITER_INC, &position, visit, target);
#endif
}

}  // namespace npuscope::h5
