#include "compare/relate/mapping.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_value.h"
#include "core/base/parse_json.h"
#include "core/base/printable.h"

namespace npuscope::compare {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kMappingVersion = 1;

ordered_json loop_json(const View::Loop& loop) {
    ordered_json numbers = {loop.extent, loop.stride};
    if (loop.is_ordered()) {
        numbers.push_back(std::vector<int>(loop.order.begin(), loop.order.begin() + loop.extent));
    } else if (loop.tile != 0) {
        numbers.push_back(loop.tile);
        numbers.push_back(loop.jump);
    }
    return numbers;
}

ordered_json view_json(const std::optional<View>& view) {
    if (!view) return nullptr;
    ordered_json loops = ordered_json::array();
    for (const View::Loop& loop : view->loops)
        loops.push_back(loop_json(loop));
    return {{"shape", view->shape},
            {"of", view->source_numel},
            {"offset", view->offset},
            {"loops", std::move(loops)}};
}

ordered_json paths_json(const std::vector<TensorPlace>& places) {
    ordered_json list = ordered_json::array();
    for (const TensorPlace& place : places)
        list.push_back(place.path);
    return list;
}

std::string text_of(ordered_json tensors) {
    const ordered_json all = {{"version", kMappingVersion}, {"tensors", std::move(tensors)}};
    return json_text(all, 1) + "\n";
}

/// One file of ours.
class MappingReader {
  public:
    MappingReader(const std::string& name, const Source& target, const Source& golden)
        : name_(name), targets_(places_of(target)), goldens_(places_of(golden)) {}

    std::vector<TensorTie> read(const json& all, int64_t& unknown) const {
        std::vector<TensorTie> ties;
        for (const json& each : all["tensors"]) {
            if (!each.is_object()) refuse("a tensor is no object");
            TensorTie tie;
            const auto target = targets_.find(text(each, "target"));
            const auto golden = goldens_.find(text(each, "golden"));
            if (target == targets_.end() || golden == goldens_.end()) {
                ++unknown;
                continue;
            }
            tie.target = target->second.place;
            tie.golden = golden->second.place;
            tie.direction = target->second.direction;
            tie.kind = relation_kind(each.value("relation", std::string("equal")));
            tie.text = each.value("text", std::string());
            tie.scale = each.value("scale", 1.0);
            tie.target_view = view(each, "target_view", target->second.shape);
            tie.golden_view = view(each, "golden_view", golden->second.shape);
            take_more(each, "more_target", targets_, tie.more_target);
            take_more(each, "more_golden", goldens_, tie.more_golden);
            take_shapes(target->second.shape, golden->second.shape, tie);
            ties.push_back(std::move(tie));
        }
        return ties;
    }

  private:
    struct Known {
        TensorPlace place;
        dumpfile::Direction direction = dumpfile::Direction::kOutput;
        Shape shape{};
    };
    using Places = std::unordered_map<std::string, Known>;

    static Places places_of(const Source& source) {
        Places places;
        for (const SourceOp& op : source.ops) {
            try {
                const auto tensors = op.load();
                for (size_t i = 0; i < tensors.size(); ++i)
                    places.emplace(tensors[i].path,
                                   Known{.place = {&op, i, tensors[i].path},
                                         .direction = tensors[i].direction,
                                         .shape = tensors[i].shape});
            } catch (const Error&) {
                // Told where the op is compared.
            }
        }
        return places;
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw Error(ErrorKind::kFormat, in_quotes(name_) + " is no mapping: " + why);
    }

    [[nodiscard]] std::string text(const json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_string())
            refuse("a tensor has no \"" + std::string(key) + "\"");
        return found->get<std::string>();
    }

    void take_order(const json& places, View::Loop& loop) const {
        const auto order = places.get<std::vector<int64_t>>();
        std::vector<int64_t> sorted = order;
        std::ranges::sort(sorted);
        std::vector<int64_t> all(order.size());
        std::iota(all.begin(), all.end(), 0);
        if (order.size() > View::Loop::kMostOrdered || std::ssize(order) != loop.extent ||
            loop.stride < 0 || sorted != all)
            refuse("a loop of a view has no order of its places");
        if (order != all) std::ranges::copy(order, loop.order.begin());
    }

    [[nodiscard]] std::optional<View> view(const json& object,
                                           const char* key,
                                           const Shape& shape) const {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) return std::nullopt;
        const int64_t numel = numel_of(shape);
        try {
            View view{.shape = found->at("shape").get<Shape>(),
                      .source_numel = found->at("of").get<int64_t>(),
                      .offset = found->at("offset").get<int64_t>()};
            Shape extents;
            for (const json& loop : found->at("loops")) {
                View::Loop& made = view.loops.emplace_back();
                made = {loop.at(0).get<int64_t>(), loop.at(1).get<int64_t>()};
                if (loop.size() == 3) {
                    take_order(loop.at(2), made);
                } else if (loop.size() > 2) {
                    made.tile = loop.at(2).get<int64_t>();
                    made.jump = loop.at(3).get<int64_t>();
                }
                extents.push_back(made.extent);
                if (std::abs(made.stride) > numel || std::abs(made.jump) > numel || made.tile < 0 ||
                    made.tile > numel)
                    refuse("a loop of a view leaves its tensor");
            }
            if (view.source_numel != numel || numel_of(extents) > numel ||
                numel_of(extents) != numel_of(view.shape) || view.offset < 0 ||
                view.offset > numel || !stays_inside(view))
                refuse("a view does not lie in its tensor");
            return view;
        } catch (const json::exception&) {
            refuse("\"" + std::string(key) + "\" is no view");
        }
    }

    void take_more(const json& object,
                   const char* key,
                   const Places& places,
                   std::vector<TensorPlace>& more) const {
        const auto found = object.find(key);
        if (found == object.end()) return;
        for (const json& path : *found) {
            const auto place =
                path.is_string() ? places.find(path.get<std::string>()) : places.end();
            if (place == places.end())
                refuse("a term of \"" + std::string(key) + "\" is not there");
            more.push_back(place->second.place);
        }
    }

    /// Written without a view: the elements in their order.
    static void take_shapes(const Shape& target, const Shape& golden, TensorTie& tie) {
        if (tie.target_view || tie.golden_view || target == golden ||
            numel_of(target) != numel_of(golden))
            return;
        tie.target_view = View{
            .shape = golden, .source_numel = numel_of(target), .loops = {{numel_of(target), 1}}};
        if (tie.kind == RelationKind::kEqual) tie.kind = RelationKind::kReshaped;
    }

    std::string name_;
    Places targets_;
    Places goldens_;
};

}  // namespace

std::string mapping_text(const std::vector<TensorTie>& ties) {
    ordered_json list = ordered_json::array();
    for (const TensorTie& tie : ties) {
        ordered_json each = {{"target", tie.target.path},
                             {"golden", tie.golden.path},
                             {"relation", name_of(tie.kind)},
                             {"by", tie.by_place ? "place" : "elements"},
                             {"distance", number_json(tie.distance)}};
        if (!tie.text.empty()) each["text"] = tie.text;
        if (tie.target_view) each["target_view"] = view_json(tie.target_view);
        if (tie.golden_view) each["golden_view"] = view_json(tie.golden_view);
        if (!tie.more_target.empty()) each["more_target"] = paths_json(tie.more_target);
        if (!tie.more_golden.empty()) each["more_golden"] = paths_json(tie.more_golden);
        if (tie.scale != 1) each["scale"] = tie.scale;
        list.push_back(std::move(each));
    }
    return text_of(std::move(list));
}

std::string mapping_text(const std::vector<std::pair<std::string, std::string>>& paths) {
    ordered_json list = ordered_json::array();
    for (const auto& [target, golden] : paths)
        list.push_back({{"target", target}, {"golden", golden}});
    return text_of(std::move(list));
}

std::vector<TensorTie> ties_written(const std::string& text,
                                    const std::string& name,
                                    const Source& target,
                                    const Source& golden,
                                    int64_t& unknown) {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::kFormat, in_quotes(name) + " is no mapping: " + why);
    };
    const auto all = parse_json<json>(text);
    if (!all.is_object() || !all.contains("tensors") || !all["tensors"].is_array())
        refuse("it has no \"tensors\"");
    if (!all.contains("version") || all["version"] != kMappingVersion)
        refuse("its version is not 1");
    try {
        return MappingReader(name, target, golden).read(all, unknown);
    } catch (const json::exception&) {
        refuse("a value is not of its kind");
    }
    return {};
}

}  // namespace npuscope::compare
