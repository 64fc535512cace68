// The program that calls the library: how far a computation is and whether its answer is still
// wanted, and how sentences name parameters and commands.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mollify/core/invalid_input.h"
#include "mollify/namespace.h"

namespace MOLLIFY_NAMESPACE {

/// The progress of a computation for a program, and whether it still wants the answer: override
/// these two. They are called often, by the thread that computes; and of public things only.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;

  /// If it returns true, the computation throws a std::exception, and leaves nothing behind but a
  /// charge that `charged` was called for.
  [[nodiscard]] virtual bool wants_stop() = 0;
  /// `step` of all steps are done; they are "units", "searches" and the like.
  virtual void reached(const std::string& steps_name, std::uint64_t step, std::uint64_t steps) = 0;
  /// A ledger has been charged for the release that is computed. It stays charged if the release is
  /// stopped now, when its records may have been drawn.
  virtual void charged() {}
  /// A computation that begins now may take longer than two seconds, and this is why: "planning in
  /// 30 dimensions".
  virtual void takes_long(const std::string& /*what*/) {}
};

/// While it lives, whatever this thread computes by the library has this watch. Without one nothing
/// stops a computation, and a line on the terminal shows how far it is.
class Watching {
 public:
  explicit Watching(Watch& watch);
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching();

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

/// How sentences call parameters and commands.
enum class Speech {
  kSpec,    ///< "space/list", the place in a spec, and "check()", a function of C and C++
  kPython,  ///< "candidates_file" and "method.check", as the Python package has them
};

/// Chooses it for the whole program, before anything else is called; otherwise it is a spec's keys.
/// Certificates have the command's words always, so that each is the same wherever it was made.
void speak(Speech speech) noexcept;

/// The known name that somebody may have meant who typed another one, or nothing. All are public.
[[nodiscard]] std::string nearest_name(std::string_view typed, std::span<const std::string> known);
/// The known parameter that somebody may have meant; by former names, too, and by names that other
/// programs have.
[[nodiscard]] std::string nearest_parameter(std::string_view typed,
                                            std::span<const std::string> known);

/// A way out of a refusal or a warning in the names of the program's speech.
struct SpokenWay {
  std::string action;  ///< "set", "add", "leave", "have", "declare", "use" or "run"
  std::string part;    ///< "accept_error", "records", "mo.Local" or "method.check"
  std::string value;   ///< to set, have or declare; empty: a value of the caller's choice
};
[[nodiscard]] SpokenWay spoken(const WayOut& way);
/// The parameter that a refusal concerns, by the same names; empty if it is no single one.
[[nodiscard]] std::string spoken_parameter(const InvalidInput& refused);
/// Its numbers, each with the unit that its parameter counts in, and as it was typed.
[[nodiscard]] std::vector<Quantity> spoken_quantities(const InvalidInput& refused);
/// The unit of a parameter: "records" of "count"; empty for others.
[[nodiscard]] std::string unit_of(std::string_view parameter);
/// A refusal as a JSON object (docs/reference/messages.md), by the same names. Call it, and the two
/// above, before this thread asks for another thing: a spec and a question differ in their keys.
[[nodiscard]] std::string refusal_json(const InvalidInput& refused);

}  // namespace MOLLIFY_NAMESPACE
