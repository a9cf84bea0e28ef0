#pragma once

#include <memory>
#include <string>
#include <vector>

#include "privet/learn/method.hpp"

namespace privet::methods {

/// All methods, in the order in which they are shown.
std::vector<std::unique_ptr<Method>> all_methods();

/// A method with its default options; an unknown name is an InvalidArgument with the nearest.
std::unique_ptr<Method> make_method(const std::string& name);

/// The method of a saved model, with the model's options.
std::unique_ptr<Method> method_of(const Model& model);

}  // namespace privet::methods
