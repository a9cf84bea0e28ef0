#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string>

#include "privet/base/distributions.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/split.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/private_optimizer.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/rows.hpp"
#include "times.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kBatch = 256;
constexpr std::size_t kWidth = 64;
constexpr std::size_t kExamples = 2048;

struct Shape {
  std::size_t features;
  std::size_t entries;  // per row; 0: dense
  std::size_t classes;
};

Examples examples_like(const Shape& shape) {
  SeededStream stream(1);
  Examples examples;
  for (std::size_t i = 0; i < kExamples; ++i)
    examples.labels.push_back(static_cast<std::int32_t>(stream.below(shape.classes)));
  if (shape.entries == 0) {
    tensor::Matrix rows(kExamples, shape.features);
    tensor::fill_gaussian(stream, 1, rows.values());
    examples.features = std::move(rows);
    return examples;
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < kExamples; ++i) {
    std::vector<std::uint32_t> row;
    for (std::size_t k = 0; k < shape.entries; ++k)
      row.push_back(static_cast<std::uint32_t>(stream.below(shape.features)));
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    offsets.push_back(columns.size());
  }
  examples.features =
      tensor::SparseMatrix(kExamples, shape.features, std::move(offsets), std::move(columns), {});
  return examples;
}

Network network_for(const Shape& shape) {
  Network network;
  network.add<Linear>(shape.features, kWidth);
  network.add<Activate>(kWidth, tensor::Activation::selu);
  network.add<Linear>(kWidth, kWidth);
  network.add<Activate>(kWidth, tensor::Activation::selu);
  network.add<Linear>(kWidth, shape.classes);
  return network;
}

// The same step without privacy: a batch of the same size, the mean gradient, Adam.
class PlainStep {
 public:
  PlainStep(const Network& network, const Examples& examples)
      : network_(network), examples_(examples), optimizer_({}, network.parameters(), 1000000) {
    for (std::uint32_t i = 0; i < kExamples; ++i) order_.push_back(i);
    gradient_.resize(network.parameters());
    losses_.resize(kBatch);
  }
  void operator()(Parameters& parameters, RandomStream& stream) {
    if (next_ + kBatch > order_.size()) next_ = 0;
    if (next_ == 0) graph::shuffle(order_, stream);
    const Pass pass{.training = true, .seed = stream.bits()};
    const Input input = gather(examples_, std::span(order_).subspan(next_, kBatch), room_);
    next_ += kBatch;
    const auto logits = network_.forward(pass, parameters, input, tape_);
    tensor::softmax_cross_entropy(logits, room_.labels, network_.output_error(pass, input, tape_), losses_);
    network_.backward(pass, parameters, input, tape_);
    network_.gradient(pass, parameters, input, tape_, gradient_);
    optimizer_.step(gradient_, 1.0 / kBatch, parameters.learnt);
  }

 private:
  const Network& network_;
  const Examples& examples_;
  Optimizer optimizer_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0;
  tensor::AlignedVector<float> gradient_;
  std::vector<float> losses_;
  Tape tape_;
  BatchRoom room_;
};

std::size_t bytes_in_use() { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; }

/// A private step over the same step without privacy, noise included: time, and memory held after ten steps.
void private_step(benchmark::State& state, const Shape& shape, std::size_t threads) {
  set_thread_count(threads);
  const Network network = network_for(shape);
  SeededStream stream(2);
  const std::size_t before = bytes_in_use();
  const Examples examples = examples_like(shape);
  Parameters parameters = network.initial_parameters(stream);
  PlainStep plain(network, examples);
  for (int i = 0; i < 10; ++i) plain(parameters, stream);
  const std::size_t plain_bytes = bytes_in_use() - before;

  const std::size_t before_private = bytes_in_use();
  Examples known = examples_like(shape);
  know_norms(known);
  const privacy::Secret<Examples> secret(std::move(known));
  Parameters private_parameters = network.initial_parameters(stream);
  PrivateOptimizer optimizer(network,
                             {.unit = privacy::Unit::record(privacy::Adjacency::replace),
                              .affected = {.added = 0, .replaced = 1},
                              .clipping = {{1.0}},
                              .noise_multiplier = 1,
                              .sampling = privacy::FixedSizeSampling{kExamples, kBatch},
                              .population = kExamples,
                              .steps = 1000000},
                             {});
  privacy::ReleaseLog log;
  for (int i = 0; i < 10; ++i) optimizer.step(secret, private_parameters, "step", log, stream);
  const std::size_t private_bytes = bytes_in_use() - before_private;

  for (auto _ : state) optimizer.step(secret, private_parameters, "step", log, stream);
  constexpr int kSteps = 20;
  const auto [without, with] = bench::times_of(
      30,
      [&] {
        for (int i = 0; i < kSteps; ++i) plain(parameters, stream);
      },
      [&] {
        for (int i = 0; i < kSteps; ++i) optimizer.step(secret, private_parameters, "step", log, stream);
      });
  state.counters["plain_us"] = 1e6 * without.best / kSteps;
  state.counters["private_us"] = 1e6 * with.best / kSteps;
  state.counters["private_over_plain"] = with.best / without.best;
  state.counters["private_over_plain_median"] = with.median / without.median;
  state.counters["memory_private_over_plain"] =
      static_cast<double>(private_bytes) / static_cast<double>(plain_bytes);
}

const Shape kCora{.features = 1433, .entries = 0, .classes = 7};
const Shape kFacebook{.features = 501, .entries = 0, .classes = 6};
const Shape kSparseCora{.features = 1433, .entries = 18, .classes = 7};
const Shape kSparseFacebook{.features = 501, .entries = 5, .classes = 6};

BENCHMARK_CAPTURE(private_step, cora_1_thread, kCora, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(private_step, cora_2_threads, kCora, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(private_step, facebook_1_thread, kFacebook, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(private_step, facebook_2_threads, kFacebook, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(private_step, sparse_cora_1_thread, kSparseCora, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(private_step, sparse_facebook_1_thread, kSparseFacebook, 1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace privet::nn
