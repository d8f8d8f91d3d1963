// Which class a result of a run is held to, asked with the run's errors.
#pragma once

#include "diagnose/judge/product_error.h"
#include "diagnose/judge/two_products.h"
#include "diagnose/judge/vector_error.h"

namespace npuscope::diagnose {

/// Borrows `inferred`.
inline auto product_class_by(const InferredArithmetic& inferred, bool is_stated) {
    return [&inferred, is_stated](ProductError& error,
                                  const RecordedResult& result) -> const ProductClass& {
        return is_stated ? inferred.of_products() : nearest_class(error, result, inferred);
    };
}

/// Borrows `inferred`.
inline auto vector_class_by(const InferredArithmetic& inferred) {
    return [&inferred](VectorError&, const RecordedResult&) -> const VectorClass& {
        return inferred.of_vectors();
    };
}

}  // namespace npuscope::diagnose
