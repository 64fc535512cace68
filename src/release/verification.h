// Whether a certificate holds: the consequences of its statements, in integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/answer.h"
#include "base/message.h"
#include "domain/candidates.h"
#include "release/certificate.h"
#include "release/public_inputs.h"

namespace mollify {

class Domain;

/// What reading released rows found: they are public, so it may be printed.
struct ReleasedCheck {
  /// Rows that are not as they must be, in one way.
  struct Fault {
    std::string column{};  ///< whose value cannot be released; empty for a rule, and for a line
    std::string rule{};    ///< that is broken, by its name
    std::uint64_t rows = 0;
    // The first of them.
    std::uint64_t line = 0;
    std::string value{};
    std::string expectation{};  ///< "must be an integer from 0 to 100"
  };

  std::string name{};  ///< of the file
  bool is_in_memory = false;
  std::uint64_t rows = 0;
  /// The number of rows by the certificate; none where that is not public.
  std::optional<std::uint64_t> certified{};
  bool has_rules = false;       ///< whether the domain has
  std::vector<Fault> faults{};  ///< lines, columns in the domain's order, then rules in theirs

  [[nodiscard]] std::optional<bool> rows_match() const noexcept {
    return certified ? std::optional(rows == *certified) : std::nullopt;
  }
  [[nodiscard]] bool values_match() const noexcept;
  [[nodiscard]] std::optional<bool> rules_hold() const noexcept;
  [[nodiscard]] bool holds() const noexcept {
    return rows_match().value_or(true) && faults.empty();
  }
};

/// What checking a certificate found.
struct CertificateCheck {
  bool domain_matches = false;  ///< by its hash; nothing else is looked at with another one
  /// Of candidates and models: whether the list is the one of the release; of a model that begins
  /// at public records, whether these are. None if there is none, and where it cannot be told: for
  /// a fresh list, and for a file or a reference that is not given.
  std::optional<bool> list_matches;
  /// Of Gaussian samples whose mean is found: whether the ranges it is sought in are the domain's.
  /// None where they follow from a covariance in a file, which is not read.
  std::optional<bool> ranges_match;
  /// Whether the rest was looked at: not with another domain, and not for numbers that no release
  /// can have had.
  bool is_designed = false;
  bool design_matches = false;     ///< prepared again it is this one, to the integer
  bool guarantee_holds = false;    ///< and these integers keep what each draw promises
  bool total_holds = false;        ///< and the draws together what is promised in all
  bool accuracy_matches = false;   ///< and it is as accurate as stated
  bool why_matches = true;         ///< the sentence about its mechanism is what is written now
  double epsilon_realised_up = 0;  ///< of one draw; of local releases
  /// Of the model's file, if it is given: whether it is the release's, by its hash, and its
  /// measurements are ones that the release can have made and paid for.
  std::optional<bool> model_matches{};
  /// Of the released rows, if they are given (formats/released_rows.h).
  std::optional<ReleasedCheck> released{};
  /// What the release and its domain are warned of, if all holds: the notes of a release have room
  /// for few.
  std::vector<Message> warnings{};

  /// In words: "holds", "DOES NOT HOLD", or that it was not checked.
  [[nodiscard]] const char* verdict() const noexcept {
    if (!domain_matches) return "not checked: this is not the release's domain";
    return holds() ? "holds" : "DOES NOT HOLD";
  }

  [[nodiscard]] bool holds() const noexcept {
    return domain_matches && list_matches.value_or(true) && ranges_match.value_or(true) &&
           design_matches && guarantee_holds && total_holds && accuracy_matches &&
           model_matches.value_or(true) && (!released || released->holds());
  }
};

/// The public inputs of a certificate's release, as far as they are at hand.
struct KnownInputs {
  std::optional<Candidates> list{};  ///< where it was a file
  /// Public records as digits of the domain, and of their bytes.
  std::optional<std::vector<std::uint32_t>> reference{};
  std::string reference_sha256{};
  std::optional<std::string> model{};  ///< the text of its model
  std::string model_file{};            ///< that it was read from; empty for a text in memory
};

/// What of two files, a list of candidates and public records, a release of this certificate was
/// made with and has to be at hand for its check. Throws InvalidInput for a file of no such
/// release.
[[nodiscard]] KnownInputs known_inputs(const StatedCertificate& stated, const Domain& domain,
                                       const PublicInputs& inputs,
                                       const std::optional<std::string>& list,
                                       const std::optional<std::string>& reference);

/// Makes of the spec, the facts and the integers that the certificate states what follows, and
/// compares it with the rest. Throws InvalidInput, naming `name`, where the words say something
/// else than the numbers.
[[nodiscard]] CertificateCheck verify_certificate(const StatedCertificate& stated,
                                                  const std::string& name, const Domain& domain,
                                                  const KnownInputs& known = {});

/// The checks of the certificate in the file `name`, and their results. A fact that was not looked
/// at is null.
[[nodiscard]] Answer check_answer(const StatedCertificate& stated, const CertificateCheck& check,
                                  const std::string& name);

}  // namespace mollify
