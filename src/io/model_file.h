// A released model's file, which holds its domain too.
#pragma once

#include <string>

#include "release/released_model.h"
#include "space/domain.h"

namespace mollify {

/// A model and the domain of its rows.
struct ModelFile {
  Domain domain;
  MarginalModel model;
};

/// What released_model_text wrote, with the domain as a domain file beside it.
[[nodiscard]] std::string model_file_text(const std::string& released, const Domain& domain);

/// Throws InvalidInput, one sentence naming `name`, for anything else than model_file_text writes.
[[nodiscard]] ModelFile parse_model_file(const std::string& text, const std::string& name);
[[nodiscard]] ModelFile read_model_file(const std::string& path);

}  // namespace mollify
