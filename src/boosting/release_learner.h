// What a release learns with.
#pragma once

#include <memory>

#include "boosting/network.h"
#include "boosting/weak_learner.h"

namespace mollify {

/// The papers' network with a schedule of fixed length that reaches the loss of their 750 epochs in
/// a small part of the time (docs/guide/boosting.md): Adam, many small steps, no early stopping, so
/// that the time it takes says nothing about the rows.
[[nodiscard]] NetworkOptions release_network();

/// A learner of such networks.
[[nodiscard]] std::shared_ptr<const WeakLearner> release_learner();

}  // namespace mollify
