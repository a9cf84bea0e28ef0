#include "privet/core/secret.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include <functional>
#include <span>
#include <vector>

namespace privet::privacy {
namespace {

template <typename T>
T look(const Secret<T>& secret) {
  ReleaseLog log;
  return declassify(secret, "a value", "a test", log);
}

TEST(Secret, MapsWithPublicAndSecretArguments) {
  const Secret<int> three(3);
  const Secret<std::vector<int>> list(std::vector<int>{1, 2});
  const Secret<int> sum =
      three.map([](const int& a, const std::vector<int>& b, int c) { return a + b[0] + b[1] + c; }, list, 10);
  EXPECT_EQ(look(sum), 16);
  EXPECT_EQ(look(three), 3);
}

TEST(Secret, MapsToAnotherType) {
  const Secret<std::vector<int>> length =
      Secret<int>(3).map([](const int& n) { return std::vector<int>(n, 7); });
  EXPECT_EQ(look(length), (std::vector<int>{7, 7, 7}));
}

int twice(const int& value) { return 2 * value; }

TEST(Secret, MapsWithAFunction) { EXPECT_EQ(look(Secret<int>(4).map(twice)), 8); }

TEST(Secret, ModifiesInPlace) {
  Secret<std::vector<int>> list(std::vector<int>{1});
  list.modify([](std::vector<int>& values, int more) { values.push_back(more); }, 5);
  EXPECT_EQ(look(list), (std::vector<int>{1, 5}));
}

TEST(Secret, DeclassifyingIsLogged) {
  ReleaseLog log;
  Secret<int> secret(7);
  EXPECT_EQ(declassify(secret, "test accuracy", "an experiment", log), 7);
  EXPECT_EQ(declassify(std::move(secret), "again", "an experiment", log), 7);
  ASSERT_EQ(log.unaccounted().size(), 2u);
  EXPECT_EQ(log.unaccounted()[0].what, "test accuracy");
  EXPECT_EQ(log.unaccounted()[0].reason, "an experiment");
  EXPECT_TRUE(log.releases().empty());
}

TEST(Secret, DeclassifyingNeedsAReason) {
  ReleaseLog log;
  const Secret<int> secret(7);
  EXPECT_THROW((void)declassify(secret, "accuracy", "", log), InvalidArgument);
  EXPECT_THROW((void)declassify(secret, "", "because", log), InvalidArgument);
  EXPECT_TRUE(log.unaccounted().empty());
}

TEST(Secret, AFailedComputationDoesNotSeemToFail) {
  const Secret<int> secret(42);
  Secret<int> failed = secret.map([](const int& value) -> int {
    if (value == 42) throw DataError({.what = "forty-two"});
    return value;
  });
  Secret<int> later = failed.map(twice);
  failed.modify([](int& value) { value = 1; });
  const Secret<int> joined = secret.map([](const int& a, const int& b) { return a + b; }, later);
  ReleaseLog log;
  for (const Secret<int>* each : std::initializer_list<const Secret<int>*>{&failed, &later, &joined}) {
    EXPECT_THROW((void)declassify(*each, "a value", "a test", log), DataError);
  }
  EXPECT_EQ(log.unaccounted().size(), 3u) << "a failed look is a look";
}

TEST(Secret, AFailureHidesAHalfChangedValue) {
  Secret<int> secret(1);
  secret.modify([](int& value) {
    value = 2;
    throw DataError({.what = "half way"});
  });
  ReleaseLog log;
  EXPECT_THROW((void)declassify(secret, "a value", "a test", log), DataError);
}

TEST(Secret, NoExceptionPassesNotEvenAnInterruption) {
  Secret<int> secret(1);
  ReleaseLog log;
  const Secret<int> failed =
      secret.map([](const int& value) -> int { throw Interrupted({.what = std::to_string(value)}); });
  EXPECT_THROW((void)declassify(failed, "a value", "a test", log), Interrupted);
  EXPECT_NO_THROW(secret.modify([](int&) { throw Interrupted({.what = "x"}); }));
}

TEST(Secret, UseAfterMoveIsAProgramFault) {
  Secret<int> secret(1);
  const Secret<int> other(2);
  const Secret<int> taken = std::move(secret);
  ReleaseLog log;
  // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
  EXPECT_THROW((void)secret.map(twice), std::logic_error);
  EXPECT_THROW((void)other.map([](const int& a, const int& b) { return a + b; }, secret), std::logic_error);
  EXPECT_THROW((void)declassify(secret, "a value", "a test", log), std::logic_error);
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_TRUE(log.unaccounted().empty());
  EXPECT_EQ(look(taken), 1);
}

TEST(Secret, ConceptsKnowWhatLeadsElsewhere) {
  EXPECT_TRUE(SecretValue<std::vector<float>>);
  EXPECT_FALSE(SecretValue<std::span<const float>>);
  EXPECT_FALSE(SecretValue<const int*>);
  EXPECT_FALSE(SecretValue<std::reference_wrapper<const int>>);
  EXPECT_FALSE(SecretValue<std::shared_ptr<int>>);
  EXPECT_TRUE(SecretArgument<std::vector<float>>);
  EXPECT_TRUE(SecretArgument<std::span<const float>>);
  EXPECT_FALSE(SecretArgument<std::span<float>>);
  EXPECT_FALSE(SecretArgument<std::reference_wrapper<int>>);
  EXPECT_FALSE(SecretArgument<std::unique_ptr<int>>);
  EXPECT_FALSE(SecretArgument<int*>);
  EXPECT_FALSE(SecretArgument<std::function<int(int)>>);
  EXPECT_TRUE(SecretArgument<Secret<int>>);
  // Ways out that a rule by exclusion overlooks.
  int out = 0;
  const auto generic = [&out](auto value) { out = value; };
  struct WithMutable {
    mutable int note = 0;
  };
  struct WithPointer {
    int* note = nullptr;
  };
  EXPECT_FALSE(SecretArgument<decltype(generic)>);
  EXPECT_FALSE(SecretArgument<WithMutable>);
  EXPECT_FALSE(SecretArgument<WithPointer>);
  EXPECT_FALSE(SecretArgument<std::vector<int*>>);
  EXPECT_FALSE(SecretArgument<std::optional<int*>>);
  EXPECT_FALSE(SecretArgument<std::weak_ptr<int>>);
  EXPECT_FALSE(SecretArgument<std::ostringstream>);
  EXPECT_FALSE(SecretValue<std::vector<std::shared_ptr<int>>>);
}

}  // namespace
}  // namespace privet::privacy
