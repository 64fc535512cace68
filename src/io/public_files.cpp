#include "io/public_files.h"

#include <fmt/format.h>

#include "io/candidates_file.h"
#include "io/covariance_file.h"
#include "io/domain_yaml.h"
#include "io/line_reader.h"
#include "io/public_records.h"
#include "io/roster.h"
#include "kernel/core/invalid_input.h"
#include "space/sha256.h"

namespace mollify {

void PublicFiles::require_public(const char* what, const std::string& name) const {
  if (!private_file_) return;
  const bool same = private_bytes_ ? bytes(name) == *private_bytes_
                                   : same_file_or_content(name, bytes(name), *private_file_);
  if (same) {
    throw InvalidInput(
        fmt::format("the {} must be public, but {} is the private file itself", what, name));
  }
}

const std::string& PublicFiles::bytes(const std::string& name) const {
  const auto known = bytes_.find(name);
  return known != bytes_.end() ? known->second
                               : bytes_.emplace(name, LineReader(name).bytes()).first->second;
}

Domain PublicFiles::domain(const SpecDomain& domain) const {
  if (domain.file.empty()) return parse_domain(domain.text, domain.name());
  const auto text = bytes_.find(domain.file);
  if (text != bytes_.end()) return parse_domain(text->second, domain.file);
  const auto known = domains_.find(domain.file);
  return known != domains_.end()
             ? known->second
             : domains_.emplace(domain.file, read_domain(domain.file)).first->second;
}

Roster PublicFiles::roster(const std::string& name, const std::string& unit_column) const {
  require_public("roster", name);
  return read_roster(name, unit_column, bytes(name));
}

std::vector<std::uint32_t> PublicFiles::records(const std::string& name,
                                                const Domain& domain) const {
  require_public("reference", name);
  return read_public_digits(name, domain, bytes(name));
}

Candidates PublicFiles::candidates(const std::string& name, const Domain& domain) const {
  require_public("list of candidates", name);
  return read_candidates(name, domain, bytes(name));
}

PublicBand PublicFiles::band(const std::string& name) const {
  require_public("band", name);
  return parse_public_band(bytes(name), name);
}

std::vector<double> PublicFiles::covariance(const std::string& name,
                                            const RealColumns& columns) const {
  require_public("covariance", name);
  return read_covariance(name, columns, bytes(name));
}

std::string PublicFiles::sha256(const std::string& name) const {
  Sha256 hash;
  try {
    hash.add(bytes(name));
  } catch (const InvalidInput&) {
    return {};  // whoever reads it says what is wrong
  }
  return hash.hex();
}

}  // namespace mollify
