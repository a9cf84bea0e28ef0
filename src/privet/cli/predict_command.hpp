#pragma once

#include "privet/cli/arguments.hpp"

namespace privet::cli {

/// privet predict: labels and probabilities for nodes, from a saved model.
void declare_predict_command(Command& root);

}  // namespace privet::cli
