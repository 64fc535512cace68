// The design of a Gaussian release as its certificate states it.
#pragma once

#include <optional>

#include "central/gaussian_design.h"
#include "release/certificate.h"

namespace mollify {

/// Which of many designs a Gaussian release draws by was searched for in doubles, and a search on
/// another processor may end elsewhere. So it is not searched for again: the integers of lattice,
/// noise, weights and centre are read from the certificate, and what follows from them is found
/// here (settled). Stated bounds of its accuracy that are nearly the ones found here are taken as
/// they stand. Whether the integers keep the guarantee is for check_gaussian_design.
///
/// `request` is what the certificate's spec and facts ask for. Throws InvalidInput for numbers that
/// no such design has.
[[nodiscard]] GaussianDesign stated_gaussian_design(GaussianRequest request,
                                                    const StatedCertificate& stated);

}  // namespace mollify
