#include "privet/audit/attacks/influence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/isomorphism.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/propagate.hpp"
#include "privet/nn/sage.hpp"

namespace privet::audit {

using graph::NodeId;
using tensor::SparseMatrix;

/// One step of the network in double precision:
///
///     map        out = in own + P (in sent) + shift; either matrix may be missing
///     sum        out = share in + P in
///     scale      out = in * factor + shift, column by column
///     activate   the derivative of every number of the pass is kept
///     normalize  rows of norm 1; the rows and what they were divided by are kept
struct InfluenceMap::Step {
  enum class Kind { map, sum, scale, activate, normalize } kind;
  std::size_t in = 0;
  std::size_t out = 0;
  std::vector<double> own = {};
  std::vector<double> sent = {};
  std::vector<double> factor = {};
  std::vector<double> shift = {};
  double share = 1;
  tensor::Activation activation = tensor::Activation::none;
  std::vector<double> kept = {};
  std::vector<double> norms = {};
};

/// The rows that a change has reached so far.
struct InfluenceMap::Front {
  std::vector<NodeId> nodes;
  std::size_t width = 0;
  std::vector<double> rows;

  std::span<double> row(std::size_t i) { return std::span(rows).subspan(i * width, width); }
};

namespace {

constexpr double kSeluScale = 1.0507009873554805;  // Klambauer et al. 2017, equation 14
constexpr double kSeluAlpha = 1.6732632423543773;
constexpr std::uint32_t kNowhere = 0xffffffff;

std::vector<double> doubles(std::span<const float> values) { return {values.begin(), values.end()}; }

double activated(tensor::Activation activation, double x) {
  switch (activation) {
    case tensor::Activation::relu:
      return std::max(x, 0.0);
    case tensor::Activation::selu:
      return kSeluScale * (x > 0 ? x : kSeluAlpha * std::expm1(x));
    case tensor::Activation::tanh:
      return std::tanh(x);
    case tensor::Activation::none:
      break;
  }
  return x;
}

double slope(tensor::Activation activation, double x) {
  switch (activation) {
    case tensor::Activation::relu:
      return x > 0 ? 1 : 0;
    case tensor::Activation::selu:
      return kSeluScale * (x > 0 ? 1 : kSeluAlpha * std::exp(x));
    case tensor::Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case tensor::Activation::none:
      break;
  }
  return 1;
}

// out += x W for one row.
void add_product(std::span<const double> x, std::span<const double> weight, std::span<double> out) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k] == 0) continue;
    const std::span<const double> row = weight.subspan(k * out.size(), out.size());
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += x[k] * row[j];
  }
}

void add_product(const SparseMatrix& x, std::size_t i, std::span<const double> weight,
                 std::span<double> out) {
  for (std::uint64_t e = x.offsets()[i]; e < x.offsets()[i + 1]; ++e) {
    const std::span<const double> row = weight.subspan(x.column_indices()[e] * out.size(), out.size());
    const auto value = static_cast<double>(x.value(e));
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += value * row[j];
  }
}

void add_scaled(double factor, std::span<const double> x, std::span<double> out) {
  for (std::size_t j = 0; j < out.size(); ++j) out[j] += factor * x[j];
}

template <typename Body>
void for_rows(std::size_t rows, const Body& body) {
  parallel_for(rows, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace

tensor::SparseMatrix sparse_features(const graph::Features& features) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&features)) return *sparse;
  const auto* dense = std::get_if<tensor::Matrix>(&features);
  if (dense == nullptr) {
    throw InvalidArgument({.what = "the data set has no features", .where = "attack"});
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < dense->rows(); ++i) {
    const std::span<const float> row = dense->row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(row[j]);
    }
    offsets.push_back(columns.size());
  }
  return {dense->rows(), dense->columns(), std::move(offsets), std::move(columns), std::move(values)};
}

double influence_on(const InfluenceRow& row, NodeId node) {
  const auto found = std::ranges::lower_bound(row, node, {}, [](const auto& entry) { return entry.first; });
  return found != row.end() && found->first == node ? found->second : 0;
}

std::string InfluenceMap::obstacle(const nn::Network& network) {
  for (std::size_t i = 0; i < network.layers(); ++i) {
    const nn::Layer* layer = &network.layer(i);
    const bool known = dynamic_cast<const nn::Linear*>(layer) != nullptr ||
                       dynamic_cast<const nn::GraphConv*>(layer) != nullptr ||
                       dynamic_cast<const nn::Propagate*>(layer) != nullptr ||
                       dynamic_cast<const nn::SageConv*>(layer) != nullptr ||
                       dynamic_cast<const nn::IsomorphismSum*>(layer) != nullptr ||
                       dynamic_cast<const nn::BatchNorm*>(layer) != nullptr ||
                       dynamic_cast<const nn::Activate*>(layer) != nullptr ||
                       dynamic_cast<const nn::NormalizeRows*>(layer) != nullptr ||
                       dynamic_cast<const nn::Dropout*>(layer) != nullptr;
    if (!known) return layer->name();
  }
  return {};
}

InfluenceMap::~InfluenceMap() = default;

InfluenceMap::InfluenceMap(const methods::MessagePassing& model, const graph::Features& features)
    : forward_(model.adjacency),
      backward_(model.adjacency.transposed()),
      features_(sparse_features(features)) {
  if (const std::string name = obstacle(model.network); !name.empty()) {
    throw InvalidArgument({.what = fmt::format("layer '{}'", name),
                           .where = "linkteller",
                           .expected = "layers whose derivative is known"});
  }
  for (std::size_t i = 0; i < model.network.layers(); ++i) {
    const nn::Layer* layer = &model.network.layer(i);
    const nn::Weights weights = model.network.weights(i, model.parameters);
    Step step{.kind = Step::Kind::map, .in = layer->inputs(), .out = layer->outputs()};
    const std::vector<nn::Layer::Array> arrays = layer->arrays();
    std::size_t offset = 0;
    for (const nn::Layer::Array& array : arrays) {
      std::vector<double> values = doubles(weights.parameters.subspan(offset, array.rows * array.columns));
      offset += values.size();
      const bool linear = dynamic_cast<const nn::Linear*>(layer) != nullptr;
      if (array.name == "neighbor_weight" || (array.name == "weight" && !linear))
        step.sent = std::move(values);
      else if (array.name == "root_weight" || array.name == "weight")
        step.own = std::move(values);
      else if (array.name == "bias" || array.name == "shift")
        step.shift = std::move(values);
      else if (array.name == "scale")
        step.factor = std::move(values);
    }
    if (dynamic_cast<const nn::Dropout*>(layer) != nullptr) continue;
    if (const auto* sum = dynamic_cast<const nn::IsomorphismSum*>(layer)) {
      step.kind = Step::Kind::sum;
      step.share = static_cast<double>(sum->own_share(weights));
    } else if (dynamic_cast<const nn::Propagate*>(layer) != nullptr) {
      step.kind = Step::Kind::sum;
      step.share = 0;
    } else if (dynamic_cast<const nn::BatchNorm*>(layer) != nullptr) {
      step.kind = Step::Kind::scale;
      for (std::size_t j = 0; j < step.out; ++j) {
        const auto average = static_cast<double>(weights.statistics[j]);
        const auto variance = static_cast<double>(weights.statistics[step.out + j]);
        step.factor[j] /= std::sqrt(variance + static_cast<double>(nn::BatchNorm::kEpsilon));
        step.shift[j] -= average * step.factor[j];
      }
    } else if (const auto* activate = dynamic_cast<const nn::Activate*>(layer)) {
      step.kind = Step::Kind::activate;
      step.activation = activate->activation();
    } else if (dynamic_cast<const nn::NormalizeRows*>(layer) != nullptr) {
      step.kind = Step::Kind::normalize;
    }
    steps_.push_back(std::move(step));
    if (const auto* sage = dynamic_cast<const nn::SageConv*>(layer);
        sage != nullptr && sage->options().normalize)
      steps_.push_back({.kind = Step::Kind::normalize, .in = layer->outputs(), .out = layer->outputs()});
  }
  run_forward();
}

void InfluenceMap::run_forward() {
  const std::size_t nodes = features_.rows();
  std::vector<double> rows;
  // A matrix takes sparse rows as they are; anything else gets them written out.
  bool sparse = true;
  const auto write_out = [&] {
    rows.assign(nodes * features_.columns(), 0);
    for_rows(nodes, [&](std::size_t i) {
      for (std::uint64_t e = features_.offsets()[i]; e < features_.offsets()[i + 1]; ++e)
        rows[i * features_.columns() + features_.column_indices()[e]] =
            static_cast<double>(features_.value(e));
    });
    sparse = false;
  };
  for (Step& step : steps_) {
    if (sparse && step.kind != Step::Kind::map) write_out();
    std::vector<double> next(nodes * step.out);
    const auto in_row = [&](std::size_t i) { return std::span(rows).subspan(i * step.in, step.in); };
    const auto out_row = [&](std::size_t i) { return std::span(next).subspan(i * step.out, step.out); };
    const auto add_neighbors = [&](const std::vector<double>& from, std::size_t i) {
      for (std::uint64_t e = forward_.offsets()[i]; e < forward_.offsets()[i + 1]; ++e) {
        add_scaled(static_cast<double>(forward_.value(e)),
                   std::span(from).subspan(forward_.column_indices()[e] * step.out, step.out), out_row(i));
      }
    };
    switch (step.kind) {
      case Step::Kind::map: {
        const auto multiply = [&](std::size_t i, std::span<const double> weight, std::span<double> out) {
          if (sparse) return add_product(features_, i, weight, out);
          add_product(in_row(i), weight, out);
        };
        if (!step.sent.empty()) {
          std::vector<double> inner(nodes * step.out);
          for_rows(nodes, [&](std::size_t i) {
            multiply(i, step.sent, std::span(inner).subspan(i * step.out, step.out));
          });
          for_rows(nodes, [&](std::size_t i) { add_neighbors(inner, i); });
        }
        for_rows(nodes, [&](std::size_t i) {
          if (!step.own.empty()) multiply(i, step.own, out_row(i));
          if (!step.shift.empty()) add_scaled(1, step.shift, out_row(i));
        });
        sparse = false;
        break;
      }
      case Step::Kind::sum:
        for_rows(nodes, [&](std::size_t i) {
          add_scaled(step.share, in_row(i), out_row(i));
          add_neighbors(rows, i);
        });
        break;
      case Step::Kind::scale:
        for_rows(nodes, [&](std::size_t i) {
          for (std::size_t j = 0; j < step.out; ++j)
            out_row(i)[j] = in_row(i)[j] * step.factor[j] + step.shift[j];
        });
        break;
      case Step::Kind::activate:
        step.kept.resize(rows.size());
        for_rows(nodes, [&](std::size_t i) {
          for (std::size_t j = i * step.in; j < (i + 1) * step.in; ++j) {
            next[j] = activated(step.activation, rows[j]);
            step.kept[j] = slope(step.activation, rows[j]);
          }
        });
        break;
      case Step::Kind::normalize:
        step.norms.resize(nodes);
        for_rows(nodes, [&](std::size_t i) {
          double square = 0;
          for (const double x : in_row(i)) square += x * x;
          step.norms[i] = std::sqrt(square);
          if (square > 0) add_scaled(1 / step.norms[i], in_row(i), out_row(i));
        });
        step.kept = next;
        break;
    }
    rows = std::move(next);
  }
  scores_ = std::move(rows);
}

void InfluenceMap::send(const Step& step, Front& front, std::vector<std::uint32_t>& place) const {
  Front next{.nodes = {}, .width = step.out, .rows = {}};
  const bool keeps_own = step.kind == Step::Kind::sum ? step.share != 0 : !step.own.empty();
  const bool sends = step.kind == Step::Kind::sum || !step.sent.empty();
  const auto row_of = [&](NodeId node) {
    if (place[node] == kNowhere) {
      place[node] = static_cast<std::uint32_t>(next.nodes.size());
      next.nodes.push_back(node);
      next.rows.resize(next.rows.size() + step.out);
    }
    return next.row(place[node]);
  };
  // The very first matrix multiplies the sparse features of the one node that changes.
  const bool first = front.width == 0;
  std::vector<double> moved(step.out);
  const auto multiply = [&](std::size_t i, std::span<const double> weight) {
    std::ranges::fill(moved, 0);
    if (first)
      add_product(features_, front.nodes[i], weight, moved);
    else
      add_product(front.row(i), weight, moved);
  };
  for (std::size_t i = 0; i < front.nodes.size(); ++i) {
    const NodeId node = front.nodes[i];
    if (keeps_own) {
      if (step.kind == Step::Kind::sum) {
        add_scaled(step.share, front.row(i), row_of(node));
      } else {
        multiply(i, step.own);
        add_scaled(1, moved, row_of(node));
      }
    }
    if (!sends) continue;
    if (step.kind == Step::Kind::sum)
      std::ranges::copy(front.row(i), moved.begin());
    else
      multiply(i, step.sent);
    for (std::uint64_t e = backward_.offsets()[node]; e < backward_.offsets()[node + 1]; ++e)
      add_scaled(static_cast<double>(backward_.value(e)), moved, row_of(backward_.column_indices()[e]));
  }
  for (const NodeId node : next.nodes) place[node] = kNowhere;
  front = std::move(next);
}

InfluenceRow InfluenceMap::of(NodeId u) const {
  std::vector<std::uint32_t> place(features_.rows(), kNowhere);
  Front front{.nodes = {u}, .width = 0, .rows = {}};
  for (const Step& step : steps_) {
    if (front.width == 0 && step.kind != Step::Kind::map) {
      front.width = features_.columns();
      front.rows.resize(front.width);
      for (std::uint64_t e = features_.offsets()[u]; e < features_.offsets()[u + 1]; ++e)
        front.rows[features_.column_indices()[e]] = static_cast<double>(features_.value(e));
    }
    if (step.kind == Step::Kind::map || step.kind == Step::Kind::sum) {
      send(step, front, place);
      continue;
    }
    for (std::size_t i = 0; i < front.nodes.size(); ++i) {
      const std::span<double> row = front.row(i);
      const NodeId node = front.nodes[i];
      if (step.kind == Step::Kind::scale) {
        for (std::size_t j = 0; j < row.size(); ++j) row[j] *= step.factor[j];
      } else if (step.kind == Step::Kind::activate) {
        for (std::size_t j = 0; j < row.size(); ++j) row[j] *= step.kept[node * step.in + j];
      } else if (step.norms[node] > 0) {
        const std::span<const double> unit = std::span(step.kept).subspan(node * step.in, step.in);
        double along = 0;
        for (std::size_t j = 0; j < row.size(); ++j) along += unit[j] * row[j];
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = (row[j] - along * unit[j]) / step.norms[node];
      }
    }
  }
  InfluenceRow influences;
  for (std::size_t i = 0; i < front.nodes.size(); ++i) {
    double square = 0;
    for (const double x : front.row(i)) square += x * x;
    influences.emplace_back(front.nodes[i], std::sqrt(square));
  }
  std::ranges::sort(influences);
  return influences;
}

std::vector<InfluenceRow> InfluenceMap::of(const std::vector<NodeId>& sources) const {
  std::vector<InfluenceRow> rows(sources.size());
  parallel_for(sources.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[i] = of(sources[i]);
  });
  return rows;
}

const std::vector<double>& InfluenceMap::scores() const { return scores_; }

}  // namespace privet::audit
