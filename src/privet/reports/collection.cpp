#include "privet/reports/collection.hpp"

#include <memory>
#include <utility>

#include "privet/base/parallel.hpp"
#include "privet/proof/told.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kClientsPerPiece = 64;

std::vector<graph::NodeId> list_of(const graph::Graph& graph, graph::NodeId own, std::size_t nodes) {
  if (graph.nodes() != nodes) return {};
  const auto neighbors = graph.neighbors(own);
  return {neighbors.begin(), neighbors.end()};
}

std::string asked_in_words(const LocalQuery& query) {
  return query.asked == PairReports::both_ends ? "told by both ends of a pair" : std::string(kToldByOneEnd);
}

}  // namespace

Event collection_event(const LocalQuestion& question) {
  std::vector<Event> parts;
  if (question.degrees()) parts.push_back(question.degrees()->event());
  if (question.bits()) parts.push_back(question.bits()->event());
  return composed(std::move(parts));
}

LocalMessages collect(const Secret<graph::Graph>& graph, const LocalQuestion& question, ReleaseLog& log,
                      RandomStream& stream) {
  const LocalQuery& query = question.query();
  const std::unique_ptr<RandomStream> base = stream.fork("local clients", stream.bits());
  // The log first: one that refuses stops the release. Its entries are those that a client writes, which say
  // what was used.
  {
    LocalClient nobody(0, Secret<std::vector<graph::NodeId>>(std::vector<graph::NodeId>()),
                       Epsilon(cost_of_bit(query)), stream.fork("nobody", 0));
    (void)nobody.answer(question);
    for (Release release : nobody.log().releases()) {
      release.what += ", " + asked_in_words(query);
      release.replayable = stream.replayable();
      log.add(std::move(release));
    }
  }
  LocalMessages messages(query.nodes);
  parallel_for(query.nodes, kClientsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto own = static_cast<graph::NodeId>(i);
      LocalClient client(own, graph.map(&list_of, own, query.nodes), Epsilon(cost_of_bit(query)),
                         base->fork("client", i));
      messages[i] = client.answer(question);
    }
  });
  return messages;
}

}  // namespace privet::privacy
