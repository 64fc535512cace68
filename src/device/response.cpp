#include <new>

#include "core/random.h"
#include "device/errors.h"
#include "kernel/channels.h"
#include "mollify/device.h"

struct mollify_device_response {
  mollify::RandomizedResponse channel;
  mollify::SecureRandom random{};
};

mollify_device_status mollify_device_new_response(uint32_t k, const char* epsilon,
                                                  mollify_device_response** response) {
  using namespace mollify::device;
  double asked = 0;
  if (const Checked refusal = check_outcomes(k)) return refused(*refusal);
  if (const Checked refusal = read_epsilon(epsilon, asked)) return refused(*refusal);
  auto* const made =
      new (std::nothrow) mollify_device_response{mollify::RandomizedResponse(k, asked)};
  if (made == nullptr) return out_of_memory();
  *response = made;
  return MOLLIFY_DEVICE_OK;
}

void mollify_device_free_response(mollify_device_response* response) { delete response; }

uint64_t mollify_device_response_kept(const mollify_device_response* response) {
  return response->channel.kept();
}
uint64_t mollify_device_response_other(const mollify_device_response* response) {
  return response->channel.other();
}
uint64_t mollify_device_response_total(const mollify_device_response* response) {
  return response->channel.total();
}
double mollify_device_response_epsilon(const mollify_device_response* response) {
  return response->channel.epsilon();
}

mollify_device_status mollify_device_respond(mollify_device_response* response,
                                             const uint32_t* values, size_t count,
                                             uint32_t* released) {
  if (!response->random.is_ready()) return mollify::device::without_entropy();
  for (size_t i = 0; i < count; ++i) {
    released[i] = static_cast<uint32_t>(response->channel.draw(values[i], response->random));
  }
  return MOLLIFY_DEVICE_OK;
}
