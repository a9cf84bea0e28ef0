#include "privet/methods/registry.hpp"

#include <fmt/format.h>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/methods/ballot/ballot.hpp"
#include "privet/methods/caribou/caribou.hpp"
#include "privet/methods/dpdgc/dpdgc.hpp"
#include "privet/methods/features/dp_linear.hpp"
#include "privet/methods/features/dp_mlp.hpp"
#include "privet/methods/features/mlp.hpp"
#include "privet/methods/gap/gap.hpp"
#include "privet/methods/gap/progap.hpp"
#include "privet/methods/lists/blink.hpp"
#include "privet/methods/lists/dprr.hpp"
#include "privet/methods/lists/hagei.hpp"
#include "privet/methods/lists/hpgr.hpp"
#include "privet/methods/lists/l_dpgcn.hpp"
#include "privet/methods/lists/rr.hpp"
#include "privet/methods/lists/solitude.hpp"
#include "privet/methods/plain/gat.hpp"
#include "privet/methods/plain/gcn.hpp"
#include "privet/methods/plain/gin.hpp"
#include "privet/methods/plain/sage.hpp"
#include "privet/methods/released/eclipse/eclipse.hpp"
#include "privet/methods/released/edge_rand.hpp"
#include "privet/methods/released/lap_graph.hpp"
#include "privet/methods/released/lpgnet.hpp"
#include "privet/methods/released/privgraph.hpp"
#include "privet/methods/subgraphs/dp_gnn.hpp"
#include "privet/methods/subgraphs/dp_sage.hpp"

namespace privet::methods {

std::vector<std::unique_ptr<Method>> all_methods() {
  std::vector<std::unique_ptr<Method>> all;
  all.push_back(std::make_unique<Ballot>());
  all.push_back(std::make_unique<Mlp>());
  all.push_back(std::make_unique<DpLinear>());
  all.push_back(std::make_unique<DpMlp>());
  all.push_back(std::make_unique<Gcn>());
  all.push_back(std::make_unique<Sage>());
  all.push_back(std::make_unique<Gat>());
  all.push_back(std::make_unique<Gin>());
  all.push_back(std::make_unique<EdgeRand>());
  all.push_back(std::make_unique<LapGraph>());
  all.push_back(std::make_unique<LpgNet>());
  all.push_back(std::make_unique<PrivGraph>());
  all.push_back(std::make_unique<Eclipse>());
  all.push_back(std::make_unique<Hpgr>());
  all.push_back(std::make_unique<Blink>());
  all.push_back(std::make_unique<Hagei>());
  all.push_back(std::make_unique<Rr>());
  all.push_back(std::make_unique<SymRr>());
  all.push_back(std::make_unique<Dprr>());
  all.push_back(std::make_unique<LDpgcn>());
  all.push_back(std::make_unique<Solitude>());
  all.push_back(std::make_unique<Gap>());
  all.push_back(std::make_unique<ProGap>());
  all.push_back(std::make_unique<DpSage>());
  all.push_back(std::make_unique<DpGnn>());
  all.push_back(std::make_unique<Dpdgc>());
  all.push_back(std::make_unique<Caribou>());
  return all;
}

std::unique_ptr<Method> make_method(const std::string& name) {
  std::vector<std::string> names;
  for (std::unique_ptr<Method>& method : all_methods()) {
    if (method->name() == name) return std::move(method);
    names.push_back(method->name());
  }
  throw InvalidArgument(
      {.what = fmt::format("no method '{}'", name), .where = "method", .remedy = suggestion(name, names)});
}

std::unique_ptr<Method> method_of(const Model& model) {
  std::unique_ptr<Method> method = make_method(model.method);
  OptionTable table = method->options();
  for (const auto& [name, value] : model.options) table.set(name, value);
  return method;
}

}  // namespace privet::methods
