// Which release serves a question, what shuffling adds, and how far a draw can be from the data:
// computed from public numbers alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mollify/domain.h"
#include "mollify/namespace.h"
#include "mollify/release.h"
#include "mollify/sampler.h"

namespace MOLLIFY_NAMESPACE {

/// What a command prints.
struct Answer {
  std::string json;                   ///< with --json
  std::string text;                   ///< without
  std::vector<std::string> warnings;  ///< what it says beside it
};

/// In people's words; docs/guide/jobs.md. None is what nobody has settled.
struct AdviceQuestion {
  std::string purpose{};                     ///< "records", "estimates", "sample" or "table"
  std::optional<std::string> protect{};      ///< "person", "row" or "table"
  std::optional<std::string> method{};       ///< instead of it: "local", "integral", ...
  std::optional<std::uint64_t> n{};          ///< persons, or rows
  std::optional<std::string> domain{};       ///< its file, or the name of one of the texts
  std::vector<std::uint64_t> columns{};      ///< instead of it: how many values each column has
  std::optional<std::uint64_t> count{};      ///< records to release
  std::optional<std::string> unit{};         ///< the column that names persons
  std::optional<double> epsilon{}, delta{};  ///< the budget
  std::optional<double> alpha{};             ///< the error that is still good
  std::optional<std::string> covariance{};   ///< a file, or the name of one of the texts
  std::vector<std::string> logarithms{};     ///< columns whose logarithms are Gaussian
  bool accept_large_delta = false;
};

/// Which method, mechanism and budget serve, what to expect, and the commands to run. Some seconds
/// at most. Throws InvalidInput for a question that contradicts itself or leaves too much open.
[[nodiscard]] Answer advise(const AdviceQuestion& question, const PublicTexts& texts = {});

/// Shuffled reports of randomized response: three of n, epsilon0, epsilon and delta.
struct AmplifyQuestion {
  std::optional<std::uint64_t> n{}, k{};     ///< records, and outcomes
  std::optional<double> epsilon0{};          ///< of one report, up to 100
  std::optional<double> epsilon{}, delta{};  ///< of all reports together
  std::optional<double> rate{};              ///< each record is first kept with this probability,
  std::optional<std::uint64_t> chosen{};     ///< or so many of the n records are first chosen
  bool accept_large_delta = false;           ///< a delta of 1/n or more is looked at too
};

/// Proved bounds on how private all reports are together. Some seconds at most. Throws InvalidInput
/// for a question that is out of range, contradicts itself or leaves more open.
[[nodiscard]] Answer amplify(const AmplifyQuestion& question);

/// How far the law of one draw can be from the data, at worst. Throws InvalidInput for parameters
/// that no sampler has.
[[nodiscard]] Answer risk(const SamplerParameters& parameters);

}  // namespace MOLLIFY_NAMESPACE
