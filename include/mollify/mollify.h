// mollify: samples of private data under differential privacy.
#pragma once

#include "mollify/accounting.h"
#include "mollify/domain.h"
#include "mollify/ledger.h"
#include "mollify/privacy.h"
#include "mollify/release.h"
#include "mollify/sampler.h"
#include "mollify/verify.h"
#include "mollify/version.h"
