#include "io/public_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "io/candidates_file.h"
#include "io/covariance_file.h"
#include "io/domain_yaml.h"
#include "io/line_reader.h"
#include "io/public_records.h"
#include "io/roster.h"
#include "space/sha256.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

void PublicFiles::require_public(const char* what, const std::string& name) const {
  if (private_file_ && same_file_or_content(name, *private_file_)) {
    throw InvalidInput(
        fmt::format("the {} must be public, but {} is the private file itself", what, name));
  }
}

Domain PublicFiles::domain(const SpecDomain& domain) const {
  return domain.file.empty() ? parse_domain(domain.text, domain.name()) : read_domain(domain.file);
}

StringIndex PublicFiles::roster(const std::string& name, const std::string& unit_column) const {
  require_public("roster", name);
  return read_roster(name, unit_column);
}

std::vector<std::uint32_t> PublicFiles::records(const std::string& name,
                                                const Domain& domain) const {
  require_public("reference", name);
  return read_public_digits(name, domain);
}

Candidates PublicFiles::candidates(const std::string& name, const Domain& domain) const {
  require_public("list of candidates", name);
  return read_candidates(name, domain);
}

std::vector<double> PublicFiles::covariance(const std::string& name,
                                            const RealColumns& columns) const {
  require_rereadable(name);
  require_public("covariance", name);
  return read_covariance(name, columns);
}

std::string PublicFiles::sha256(const std::string& name) const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) return {};
  std::ifstream file(name, std::ios::binary);
  Sha256 hash;
  hash.add(std::string(std::istreambuf_iterator<char>(file), {}));
  return hash.hex();
}

}  // namespace mollify
