#include "privet/nn/clipped_gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "privet/base/parallel.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/tensor/fill.hpp"
#include "random_examples.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kFeatures = 30;
constexpr std::size_t kClasses = 4;

Examples some_examples(std::size_t count, std::uint64_t seed) {
  return testing::random_examples(count, kFeatures, kClasses, seed);
}

Network small_network() {
  Network network;
  network.add<Linear>(kFeatures, 8);
  network.add<Activate>(8, tensor::Activation::selu);
  network.add<Linear>(8, kClasses);
  return network;
}

std::vector<std::uint32_t> all_of(std::size_t count) {
  std::vector<std::uint32_t> members(count);
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return std::sqrt(squares);
}

tensor::AlignedVector<float> sum_of(const Network& network, const Parameters& parameters,
                                    const Examples& examples, const std::vector<std::uint32_t>& members,
                                    const Clipping& clipping, std::uint64_t piece) {
  GradientRoom room;
  clipped_gradient_sum(network, parameters, examples, members, clipping,
                       {.piece = piece, .most = members.size()}, 1, room);
  return room.sum;
}

TEST(ClippedGradient, ChunkingChangesNothing) {
  const Network network = small_network();
  SeededStream stream(1);
  const Parameters parameters = network.initial_parameters(stream);
  const Examples examples = some_examples(50, 2);
  const Clipping clipping{{0.7}};
  const auto whole = sum_of(network, parameters, examples, all_of(50), clipping, 50);
  for (const std::uint64_t piece : {1, 7, 16, 49}) {
    const auto pieces = sum_of(network, parameters, examples, all_of(50), clipping, piece);
    EXPECT_LE(distance(whole, pieces), 2 * (SumPlan{.piece = 50, .most = 50}.sum_error() * 0.7));
  }
}

// The stated sensitivity, searched for a violation: any example replaced by any other moves the computed sum
// by at most 2 clip norms, plus twice what SumPlan says rounding may do. Examples of wild scales included.
TEST(ClippedGradient, NoReplacedExampleMovesTheSumFurtherThanCharged) {
  const Network network = small_network();
  SeededStream stream(3);
  double worst = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Parameters parameters = network.initial_parameters(stream);
    const float scale = std::pow(10.0F, static_cast<float>(stream.uniform() * 6 - 3));
    for (float& value : parameters.learnt) value *= scale;
    constexpr std::size_t kCount = 24;
    Examples examples = some_examples(kCount, 100 + static_cast<std::uint64_t>(trial));
    const Clipping flat{{0.5}};
    const Clipping layers{{0.3, 0.4}};
    for (const Clipping& clipping : {flat, layers}) {
      const SumPlan plan{.piece = 8, .most = kCount};
      const auto before = sum_of(network, parameters, examples, all_of(kCount), clipping, plan.piece);
      Examples other = examples;
      auto& rows = std::get<tensor::Matrix>(other.features);
      const std::size_t replaced = stream.below(kCount);
      // The mirrored example pulls the other way: the hardest case.
      for (float& value : rows.row(replaced)) value *= stream.below(2) == 0 ? -50.0F : 50.0F;
      other.labels[replaced] = static_cast<std::int32_t>(stream.below(kClasses));
      const auto after = sum_of(network, parameters, other, all_of(kCount), clipping, plan.piece);
      const double moved = distance(before, after) / clipping.joint_norm();
      worst = std::max(worst, moved);
      ASSERT_LE(moved, 2 * (1 + plan.sum_error())) << "trial " << trial;
    }
  }
  EXPECT_GT(worst, 1.2) << "the search never came near the bound";
}

// Sums in doubles are the same sums, to what SumPlan says of both; for rows of 0 and 1 and for any others.
TEST(ClippedGradient, SumsInDoublesAreTheSameSums) {
  Network network;
  network.add<Linear>(kFeatures, kClasses);
  SeededStream stream(7);
  const Parameters parameters = network.initial_parameters(stream);
  constexpr std::size_t kCount = 300;
  Examples dense = some_examples(kCount, 8);
  Examples sparse = dense;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::uint32_t j = 0; j < kFeatures; ++j)
      if (stream.below(4) == 0) columns.push_back(j);
    offsets.push_back(columns.size());
  }
  sparse.features = tensor::SparseMatrix(kCount, kFeatures, std::move(offsets), std::move(columns), {});
  for (const Examples& examples : {dense, sparse}) {
    const Clipping clipping{{0.7}};
    const auto pieces = sum_of(network, parameters, examples, all_of(kCount), clipping, 8);
    GradientRoom room;
    const SumPlan plan = SumPlan::for_batches_of(kCount, SumIn::doubles);
    clipped_gradient_sum(network, parameters, examples, all_of(kCount), clipping, plan, 1, room);
    const double allowed = 0.7 * (plan.sum_error() + SumPlan{.piece = 8, .most = kCount}.sum_error());
    EXPECT_LE(distance(pieces, room.sum), allowed);
    EXPECT_GT(std::ranges::max(room.sum), 0.1F);
    EXPECT_LT(plan.sum_error(), 1e-4);
    clipped_gradient_sum(network, parameters, examples, {}, clipping, plan, 1, room);
    EXPECT_EQ(std::ranges::max(room.sum), 0.0F);
  }
}

// Parts of any length that begin anywhere are those of the sum, to the byte: of rows of 0 and 1, which most
// columns have no, one or two terms of, and of any others.
TEST(ClippedGradient, PartsAreThoseOfTheWholeSum) {
  constexpr std::size_t kCount = 30;
  constexpr std::size_t kColumns = 50;
  Network network;
  network.add<Linear>(kColumns, 70);  // more than are summed at a time
  SeededStream stream(7);
  const Parameters parameters = network.initial_parameters(stream);
  GradientRoom room;  // the same for all: nothing of a batch stays
  for (const bool with_values : {false, true, false}) {
    Examples examples = testing::random_examples(kCount, kColumns, 70, 8);
    std::vector<std::uint64_t> offsets = {0};
    std::vector<std::uint32_t> columns;
    tensor::AlignedVector<float> values;
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::uint32_t j = 0; j < kColumns; ++j) {
        if (stream.below(j < 25 ? 20 : 4) != 0) continue;
        columns.push_back(j);
        // One example is too long to be clipped: it counts as zero.
        if (with_values) values.push_back(columns.size() == 9 ? 1e30F : static_cast<float>(stream.uniform()));
      }
      offsets.push_back(columns.size());
    }
    examples.features =
        tensor::SparseMatrix(kCount, kColumns, std::move(offsets), std::move(columns), std::move(values));
    const SumPlan plan = SumPlan::for_batches_of(kCount, SumIn::doubles);
    GradientRoom whole;
    clipped_gradient_sum(network, parameters, examples, all_of(kCount), Clipping{{0.7}}, plan, 1, whole);
    clipped_gradient(network, parameters, examples, all_of(kCount), Clipping{{0.7}}, plan, 1, room);
    EXPECT_TRUE(room.unformed);
    for (const std::size_t length : {std::size_t{1}, std::size_t{64}, std::size_t{97}, whole.sum.size()}) {
      for (std::size_t first = 0; first < whole.sum.size(); first += length) {
        std::vector<float> part(std::min(length, whole.sum.size() - first));
        gradient_part(room, first, part, network);
        ASSERT_TRUE(std::ranges::equal(part, std::span(whole.sum).subspan(first, part.size())))
            << length << " from " << first;
      }
    }
    EXPECT_GT(std::ranges::max(whole.sum), 0.01F);
    // Nobody in the batch, in the same room: zeros, and nothing of the batch before.
    clipped_gradient(network, parameters, examples, {}, Clipping{{0.7}}, plan, 1, room);
    std::vector<float> part(whole.sum.size());
    gradient_part(room, 0, part, network);
    EXPECT_EQ(part, std::vector<float>(part.size()));
  }
}

TEST(ClippedGradient, SumsInDoublesCostTheSameOnEveryThread) {
  Network network;
  network.add<Linear>(kFeatures, 40);
  SeededStream stream(7);
  const Parameters parameters = network.initial_parameters(stream);
  const Examples examples = testing::random_examples(200, kFeatures, 40, 8);
  const std::size_t threads = thread_count();
  std::vector<tensor::AlignedVector<float>> sums;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}}) {
    set_thread_count(count);
    GradientRoom room;
    clipped_gradient_sum(network, parameters, examples, all_of(200), Clipping{{1}},
                         SumPlan::for_batches_of(200, SumIn::doubles), 1, room);
    sums.push_back(room.sum);
  }
  set_thread_count(threads);
  EXPECT_EQ(sums[0], sums[1]);
}

// Somebody who is not there has no label. The accountant counts on a batch with such a member being the batch
// without it, to the last bit: rounding and dropout of the others included, in every way to sum.
TEST(ClippedGradient, MembersWithoutALabelLeaveTheSumAsItIs) {
  constexpr std::size_t kCount = 50;
  Network network;
  network.add<Linear>(kFeatures, 8);
  network.add<Activate>(8, tensor::Activation::selu);
  network.add<Dropout>(8, 0.3, 0);
  network.add<Linear>(8, kClasses);
  Network one_layer;
  one_layer.add<Linear>(kFeatures, kClasses);
  SeededStream stream(21);
  const Parameters parameters = network.initial_parameters(stream);
  const Parameters of_one = one_layer.initial_parameters(stream);
  const Examples dense = some_examples(kCount, 22);
  Examples sparse = dense;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::uint32_t j = 0; j < kFeatures; ++j) {
      if (stream.below(3) != 0) continue;
      columns.push_back(j);
      values.push_back(static_cast<float>(stream.uniform()));
    }
    offsets.push_back(columns.size());
  }
  sparse.features =
      tensor::SparseMatrix(kCount, kFeatures, std::move(offsets), std::move(columns), std::move(values));
  const auto parts_of = [](const Network& net, const Parameters& now, const Examples& examples,
                           std::span<const std::uint32_t> members, const SumPlan& plan) {
    GradientRoom room;
    clipped_gradient(net, now, examples, members, Clipping{{0.7}}, plan, 5, room);
    std::vector<float> sum(net.parameters());
    gradient_part(room, 0, sum, net);
    return sum;
  };
  struct Way {
    const Network& network;
    const Parameters& parameters;
    const Examples& examples;
    SumPlan plan;
  };
  const std::vector<Way> ways = {
      {network, parameters, dense, {.piece = 8, .most = kCount}},
      {network, parameters, sparse, {.piece = 8, .most = kCount}},
      {network, parameters, dense, {.piece = kCount, .most = kCount}},
      {one_layer, of_one, dense, {.piece = 7, .most = kCount}},
      {one_layer, of_one, dense, SumPlan::for_batches_of(kCount, SumIn::doubles)},
      {one_layer, of_one, sparse, SumPlan::for_batches_of(kCount, SumIn::doubles)}};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const auto& [net, now, examples, plan] = ways[way];
    for (std::uint32_t gone = 0; gone < kCount; ++gone) {
      std::vector<std::uint32_t> others = all_of(kCount);
      others.erase(others.begin() + gone);
      Examples blank = examples;
      blank.labels[gone] = graph::kUnlabeled;
      ASSERT_EQ(parts_of(net, now, blank, all_of(kCount), plan), parts_of(net, now, examples, others, plan))
          << "way " << way << ", member " << gone;
    }
    Examples nobody = examples;
    std::ranges::fill(nobody.labels, graph::kUnlabeled);
    EXPECT_EQ(parts_of(net, now, nobody, all_of(kCount), plan), std::vector<float>(net.parameters()));
  }
}

// Two opposite examples, alone in their batch: the bound of 2 clip norms is reached.
TEST(ClippedGradient, OppositeExamplesReachTheBound) {
  Network network;
  network.add<Linear>(2, 2, false);
  Parameters parameters{tensor::AlignedVector<float>(4), {}};
  const auto one = [&](float feature) {
    Examples examples;
    tensor::Matrix row(1, 2);
    row(0, 0) = feature;
    examples.features = std::move(row);
    examples.labels = {0};
    return sum_of(network, parameters, examples, {0}, Clipping{{1.0}}, 1);
  };
  EXPECT_NEAR(distance(one(1000), one(-1000)), 2, 1e-5);
}

TEST(ClippedGradient, PerLayerClippingHasTheJointNormOfAllLayers) {
  const Clipping clipping{{3, 4}};
  EXPECT_NEAR(clipping.joint_norm(), 5, 1e-12);
  const Network network = small_network();
  SeededStream stream(5);
  Parameters parameters = network.initial_parameters(stream);
  for (float& value : parameters.learnt) value *= 100;
  const Examples examples = some_examples(1, 6);
  const Clipping tight{{1e-3, 1e-3}};
  const auto sum = sum_of(network, parameters, examples, {0}, tight, 1);
  const std::vector<float> zero(sum.size(), 0.0F);
  EXPECT_LE(distance(sum, zero), tight.joint_norm() * (1 + 1e-6));
}

TEST(ClippedGradient, ExamplesWithoutAFiniteGradientCountAsZero) {
  const Network network = small_network();
  SeededStream stream(7);
  const Parameters parameters = network.initial_parameters(stream);
  Examples examples = some_examples(4, 8);
  const auto without = sum_of(network, parameters, examples, {0, 2, 3}, Clipping{{1.0}}, 4);
  // Finite features whose products overflow float32: activations and errors of that row are not numbers.
  for (float& value : std::get<tensor::Matrix>(examples.features).row(1))
    value = std::numeric_limits<float>::max();
  const auto with = sum_of(network, parameters, examples, {0, 1, 2, 3}, Clipping{{1.0}}, 4);
  for (const float value : with) ASSERT_TRUE(std::isfinite(value));
  EXPECT_LE(distance(with, without), 1 + 1e-5) << "at most the clip norm of that one example";
}

// Adding or removing an example moves the others to other rows. Their own gradients must not feel it, to the
// last bit: the bound on rounding counts on that. The clip factor and the errors of an example are therefore
// compared alone and at every place in batches of many sizes, also where products are split or padded.
TEST(ClippedGradient, AnExamplesGradientDoesNotDependOnItsPlaceInTheBatch) {
  Network network;
  network.add<Linear>(300, 64);
  network.add<Activate>(64, tensor::Activation::selu);
  network.add<Linear>(64, 64);
  network.add<Activate>(64, tensor::Activation::tanh);
  network.add<Linear>(64, 7);
  SeededStream stream(11);
  const Parameters parameters = network.initial_parameters(stream);
  Examples examples;
  tensor::Matrix rows(300, 300);
  tensor::fill_gaussian(stream, 1, rows.values());
  examples.features = std::move(rows);
  for (std::size_t i = 0; i < 300; ++i) examples.labels.push_back(static_cast<std::int32_t>(i % 7));
  const auto errors_of = [&](std::uint32_t first, std::uint32_t count, std::uint32_t example) {
    GradientRoom room;
    std::vector<std::uint32_t> members(count);
    std::iota(members.begin(), members.end(), first);
    clipped_gradient_sum(network, parameters, examples, members, Clipping{{1e-3}},
                         {.piece = count, .most = count}, 1, room);
    const auto errors = room.tape.slots[0].error.values().subspan((example - first) * 64, 64);
    return std::vector<float>(errors.begin(), errors.end());
  };
  const std::uint32_t example = 150;
  const std::vector<float> alone = errors_of(example, 1, example);
  for (const std::uint32_t before : {0U, 1U, 2U, 3U, 5U, 8U, 15U, 16U, 31U, 47U, 100U, 127U}) {
    for (const std::uint32_t after : {0U, 1U, 4U, 7U, 33U, 120U}) {
      ASSERT_EQ(errors_of(example - before, before + 1 + after, example), alone)
          << before << " rows before, " << after << " after";
    }
  }
}

// A row that is not a number must not reach the products of the others either: zero times it is no zero.
TEST(ClippedGradient, InputsThatAreNotFiniteMoveTheSumByTheirOwnExampleOnly) {
  for (const bool deep : {false, true}) {
    Network network;
    if (deep) {
      network.add<Linear>(kFeatures, 8);
      network.add<Activate>(8, tensor::Activation::selu);
    }
    network.add<Linear>(deep ? 8 : kFeatures, kClasses);
    SeededStream stream(13);
    const Parameters parameters = network.initial_parameters(stream);
    Examples examples = some_examples(40, 14);
    const auto before = sum_of(network, parameters, examples, all_of(40), Clipping{{1.0}}, 16);
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
      std::ranges::fill(std::get<tensor::Matrix>(examples.features).row(5), bad);
      const auto after = sum_of(network, parameters, examples, all_of(40), Clipping{{1.0}}, 16);
      EXPECT_LE(distance(before, after), 1 + 1e-5);
    }
  }
}

// Factors so small that scaled errors lose their precision would let an example past its clip norm.
TEST(ClippedGradient, HugeGradientsNeverPassTheClipNorm) {
  Network network;
  network.add<Linear>(200, 64);
  network.add<Activate>(64, tensor::Activation::relu);
  network.add<Linear>(64, 3);
  SeededStream stream(15);
  const Parameters parameters = network.initial_parameters(stream);
  for (const float size : {1e10F, 1e20F, 1e30F, 1e35F, 1e37F, 1.5e38F}) {
    for (const double clip : {1e-6, 1e-3, 1.0}) {
      for (const Clipping& clipping : {Clipping{{clip}}, Clipping{{clip, clip}}}) {
        Examples examples;
        tensor::Matrix row(1, 200);
        tensor::fill_uniform(stream, -size, size, row.values());
        examples.features = std::move(row);
        examples.labels = {0};
        const auto sum = sum_of(network, parameters, examples, {0}, clipping, 1);
        const std::vector<float> zero(sum.size(), 0.0F);
        ASSERT_LE(distance(sum, zero), clipping.joint_norm() * (1 + 1e-5)) << size << ", clip " << clip;
      }
    }
  }
}

TEST(ClippedGradient, NormsThatAreKnownBeforehandChangeNothing) {
  const Network network = small_network();
  SeededStream stream(16);
  const Parameters parameters = network.initial_parameters(stream);
  Examples examples = some_examples(20, 17);
  const std::vector<std::uint32_t> members = {1, 4, 5, 11, 19};
  const auto before = sum_of(network, parameters, examples, members, Clipping{{0.3}}, 3);
  know_norms(examples);
  EXPECT_EQ(sum_of(network, parameters, examples, members, Clipping{{0.3}}, 3), before);
}

TEST(ClippedGradient, NoMembersGiveZeros) {
  const Network network = small_network();
  SeededStream stream(9);
  const auto sum =
      sum_of(network, network.initial_parameters(stream), some_examples(3, 1), {}, Clipping{{1.0}}, 4);
  EXPECT_TRUE(std::ranges::all_of(sum, [](float value) { return value == 0; }));
}

TEST(SumPlan, KeepsTheErrorSmall) {
  EXPECT_EQ(SumPlan::for_batches_of(64).piece, 64U);
  EXPECT_EQ(SumPlan::for_batches_of(256).piece, 256U);
  EXPECT_LE(SumPlan::for_batches_of(2000).sum_error(), 0.0051);
  EXPECT_LT(SumPlan::for_batches_of(20000).piece, 20U);
  EXPECT_EQ(SumPlan::for_batches_of(1).piece, 1U);
}

}  // namespace
}  // namespace privet::nn
