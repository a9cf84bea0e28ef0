#include <fmt/format.h>

#include "privet/base/error.hpp"
#include "privet/graph/generate.hpp"

namespace privet::graph {

DcsbmOptions dcsbm_like(const std::string& like) {
  DcsbmOptions o;
  if (like == "none") return o;
  // Nodes, edges, features and classes: Hu et al. 2020, table 2; split sizes: the files. Homophily and
  // signal are rough choices.
  struct Shape {
    const char* name;
    std::uint64_t nodes, edges, features, classes, train, validation;
    double homophily, signal;
  };
  static constexpr Shape kShapes[] = {
      {"ogbn-arxiv", 169'343, 1'166'243, 128, 40, 90'941, 29'799, 0.65, 0.2},
      {"ogbn-products", 2'449'029, 61'859'140, 100, 47, 196'615, 39'323, 0.81, 0.2},
      {"ogbn-mag", 736'389, 5'416'271, 128, 349, 629'571, 64'879, 0.3, 0.2}};
  for (const Shape& shape : kShapes) {
    if (like != shape.name) continue;
    o.like = like;
    o.nodes = shape.nodes;
    o.classes = shape.classes;
    o.imbalance = 20;
    o.mean_degree = 2 * static_cast<double>(shape.edges) / static_cast<double>(shape.nodes);
    o.homophily = shape.homophily;
    o.features = shape.features;
    o.signal = shape.signal;
    o.dense = true;
    o.train = shape.train;
    o.validation = shape.validation;
    return o;
  }
  throw InvalidArgument({.what = fmt::format("no shape '{}'", like),
                         .where = "dcsbm, like",
                         .expected = "ogbn-arxiv, ogbn-products or ogbn-mag"});
}

}  // namespace privet::graph
