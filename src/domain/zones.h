// Named zones: the clock of a place, with its summer time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

/// The clock of a place, as the machine's zone data describe it: the folder $TZDIR, or
/// /usr/share/zoneinfo. Immutable; it lives as long as the program, so equal zones have equal addresses.
class Zone {
 public:
  /// "Europe/Berlin"; nullptr for a name that the zone data do not have.
  [[nodiscard]] static const Zone* find(std::string_view name);
  /// Throws InvalidInput, with the nearest name, for a name that the zone data do not have.
  [[nodiscard]] static const Zone& require(std::string_view name);

  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
  ~Zone();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Seconds east of UTC that the clock shows at this second of UTC since 1970. Total: before the
  /// year 1 and after 9999 the offset is the nearest year's.
  [[nodiscard]] std::int64_t offset_at(std::int64_t instant) const noexcept;
  /// The second of UTC at which the clock shows this second since 1970. A reading that comes twice
  /// is the first one. A reading that the clock skips is counted on from before the gap: at 02:30 of
  /// a night whose clock goes from 02:00 to 03:00 the clock shows 03:30.
  [[nodiscard]] std::int64_t instant_of(std::int64_t clock) const noexcept;

 private:
  struct Data;
  Zone(std::string name, std::unique_ptr<const Data> data);

  std::string name_;
  std::unique_ptr<const Data> data_;
};

/// The names that the zone data have, sorted; none on a machine without zone data.
[[nodiscard]] std::vector<std::string> zone_names();

}  // namespace mollify
