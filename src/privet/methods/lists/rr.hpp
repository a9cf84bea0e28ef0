#pragma once

#include "privet/methods/lists/local_method.hpp"

namespace privet::methods {

/// Randomised response with nothing behind it: the graph of the ones that were told. What HPGR and Blink are
/// measured by.
class Rr : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "rr"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const Shape& shape) const override;
  [[nodiscard]] Groups groups() const override { return Groups::none; }
  [[nodiscard]] bool keeps_directions() const override { return true; }
  void declare(OptionTable& table) override;
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;
};

/// The same with one end of each pair asked, in both rigors: one triangle of the matrix, mirrored. (The
/// published code has a superdiagonal too many, and asks its pairs twice.)
class SymRr final : public Rr {
 public:
  [[nodiscard]] std::string name() const override { return "sym-rr"; }
  [[nodiscard]] std::string summary() const override;

 protected:
  [[nodiscard]] bool always_one_end() const override { return true; }
};

/// The graph of the ones that were told: directed where both ends were asked, undirected where one was.
graph::Graph told_graph(const privacy::BitRows& ones, privacy::PairReports asked);
/// Before anybody is asked: an InvalidArgument, with a way out, where one end of each pair would be expected
/// to tell more than a hundred million ones.
void require_sparse(double epsilon, std::size_t nodes);

}  // namespace privet::methods
