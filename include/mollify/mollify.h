// mollify: samples of private data under differential privacy.
#pragma once

#include "mollify/accounting.h"
#include "mollify/domain.h"
#include "mollify/ledger.h"
#include "mollify/privacy.h"
#include "mollify/sampler.h"
#include "mollify/version.h"
