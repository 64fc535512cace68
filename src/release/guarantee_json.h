// What a certificate of the central model says of its guarantee, in numbers.
#pragma once

#include <string>

#include "accounting/privacy.h"
#include "release/certificate_reader.h"

namespace mollify {

Json privacy_json(const Privacy& guarantee);

/// The guarantee at a place of the certificate, such as "/privacy"; throws InvalidInput if there is
/// none.
Privacy parse_guarantee(const CertificateReader& reader, const std::string& place,
                        const std::string& name);

}  // namespace mollify
