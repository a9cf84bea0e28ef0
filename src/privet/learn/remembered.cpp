#include "privet/learn/remembered.hpp"

#include <array>
#include <cstdint>
#include <variant>

#include "privet/tensor/matrix.hpp"

namespace privet::methods {

PublicInputs& PublicInputs::add(std::string_view text) { return add(std::span<const char>(text)); }

PublicInputs& PublicInputs::add(const graph::Features& features) {
  const std::array<std::uint64_t, 2> kind = {features.index(), graph::feature_columns(features)};
  add(std::span<const std::uint64_t>(kind));
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    add(std::span<const float>(dense->values()));
  } else if (const auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    add(std::span<const std::uint64_t>(sparse->offsets()));
    add(std::span<const std::uint32_t>(sparse->column_indices()));
    if (!sparse->all_ones()) add(std::span<const float>(sparse->values()));
  }
  return *this;
}

PublicInputs& PublicInputs::add(const privacy::ProtectedDataset& data) {
  return add(std::to_string(data.facts.classes))
      .add(std::span<const std::int32_t>(data.labels.visible()))
      .add(std::span<const graph::Role>(data.facts.split.roles))
      .add(data.features.visible());
}

PublicInputs& PublicInputs::add(const RandomStream& stream) {
  const std::unique_ptr<RandomStream> drawn = stream.fork("key", 0);
  const std::array<std::uint64_t, 4> bits = {drawn->bits(), drawn->bits(), drawn->bits(), drawn->bits()};
  return add(std::span<const std::uint64_t>(bits));
}

}  // namespace privet::methods
