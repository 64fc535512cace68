#include "learner_options.h"

#include <fmt/format.h>

#include "accounting/nearest_name.h"
#include "boosting/network.h"
#include "command.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/decision_tree.h"
#include "laboratory/boosting/logistic_model.h"

namespace mollify::cli {
namespace {

constexpr double kHeldOutShare = 0.2;

NetworkOptions network_options(const LearnerOptions& options) {
  const std::string schedule = options.schedule.value_or("fast");
  if (schedule != "fast" && schedule != "papers") {
    refuse_name("schedule", schedule, std::vector<std::string>{"fast", "papers"});
  }
  NetworkOptions network = schedule == "papers" ? NetworkOptions{} : release_network();
  const auto whole = [](const std::optional<std::uint64_t>& given, std::size_t& value) {
    if (given) value = static_cast<std::size_t>(*given);
  };
  whole(options.width, network.width);
  whole(options.depth, network.depth);
  whole(options.epochs, network.epochs);
  whole(options.minibatches, network.minibatches);
  network.rate = options.rate.value_or(network.rate);
  if (options.patience) {
    network.held_out = kHeldOutShare;
    network.patience = static_cast<std::size_t>(*options.patience);
  }
  if (options.optimiser) {
    if (*options.optimiser != "nesterov" && *options.optimiser != "adam") {
      refuse_name("optimiser", *options.optimiser, std::vector<std::string>{"nesterov", "adam"});
    }
    network.optimiser = *options.optimiser == "adam" ? Optimiser::kAdam : Optimiser::kNesterov;
  }
  return network;
}

}  // namespace

void LearnerOptions::add_to(CLI::App& command) {
  const std::string group = "Learner";
  add_text(command, "--learner", learner, "NAME", "network, tree or logistic (default: network)")
      ->group(group);
  add_text(command, "--schedule", schedule, "NAME",
           "fast, or papers: 750 epochs of two minibatches by Nesterov's method (default: "
           "fast)")
      ->group(group);
  add_whole_number(command, "--width", width, "neurons of a hidden layer (default: 25)")
      ->group(group);
  add_whole_number(command, "--depth", depth,
                   "hidden layers of a network (default: 3) or splits on a path of a tree")
      ->group(group);
  add_whole_number(command, "--epochs", epochs, "passes over the samples")->group(group);
  add_whole_number(command, "--minibatches", minibatches, "steps in a pass")->group(group);
  add_text(command, "--optimiser", optimiser, "NAME", "nesterov or adam")->group(group);
  add_whole_number(command, "--patience", patience,
                   "stop early after so many passes without a better cross-entropy on a fifth of "
                   "the samples, held out (default: never)")
      ->group(group);
  add_number(command, "--rate", rate, "learning rate")->group(group);
}

bool LearnerOptions::is_given() const {
  return learner || schedule || optimiser || width || depth || epochs || minibatches || patience ||
         rate;
}

std::unique_ptr<WeakLearner> LearnerOptions::make() const {
  const std::string name = learner.value_or("network");
  if (name == "network") return std::make_unique<NetworkLearner>(network_options(*this));
  if (name != "tree" && name != "logistic") {
    refuse_name("learner", name, std::vector<std::string>{"network", "tree", "logistic"});
  }
  for (const auto& [flag, given] :
       {std::pair{"--schedule", schedule.has_value()}, std::pair{"--width", width.has_value()},
        std::pair{"--epochs", epochs.has_value()},
        std::pair{"--minibatches", minibatches.has_value()},
        std::pair{"--optimiser", optimiser.has_value()},
        std::pair{"--patience", patience.has_value()}, std::pair{"--rate", rate.has_value()},
        std::pair{"--depth", depth && name == "logistic"}}) {
    if (given) {
      throw InvalidInput(fmt::format("{} is for networks, but the learner is {}", flag, name));
    }
  }
  if (name == "logistic") {
    return std::make_unique<LogisticLearner>(LogisticOptions{.has_products = true});
  }
  TreeOptions tree;
  if (depth) tree.depth = static_cast<std::size_t>(*depth);
  return std::make_unique<TreeLearner>(tree);
}

}  // namespace mollify::cli
