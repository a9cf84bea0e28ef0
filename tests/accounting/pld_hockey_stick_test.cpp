#include "privet/accounting/pld_hockey_stick.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace privet::privacy {
namespace {

struct Golden {
  double mu;
  double epsilon;
  double log_value;
};

// log(Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)) with 400 digits (mpmath).
TEST(PldHockeyStick, GaussianMatchesManyDigits) {
  for (const Golden& g :
       {Golden{1e-6, 0.0, -14.734449091168989}, Golden{1e-6, 5.0e-7, -15.436026572351658},
        Golden{1e-6, 3.0e-6, -21.685195117567412}, Golden{1e-6, 3.0e-5, -471.54014931856247},
        Golden{0.003, 0.0015, -7.428909828427518}, Golden{0.003, 0.09, -463.48879787343121},
        Golden{0.4, 0.0, -1.8418781765876035}, Golden{0.4, 1.2, -8.2032878449005247},
        Golden{0.4, 12.0, -452.66090038900721}, Golden{0.6, 0.3, -2.0042196798131161},
        Golden{0.6, 18.0, -449.28038014885642}, Golden{1, 0.5, -1.4337142903236976},
        Golden{1, 30.0, -442.84937808230364}, Golden{3, 1.5, -0.30193553430553918},
        Golden{3, 9.0, -3.2371525620191775}, Golden{3, 90.0, -412.74855765105316},
        Golden{12, 36.0, -0.001838146983099961}, Golden{12, 108.0, -6.8535157230855871},
        Golden{12, 360.0, -293.19925308758954}}) {
    EXPECT_NEAR(gaussian_log_hockey_stick(g.mu, g.epsilon), g.log_value,
                1e-12 * std::max(1.0, -g.log_value / 10))
        << g.mu << ' ' << g.epsilon;
  }
}

TEST(PldHockeyStick, GaussianGrowsWithTheDistanceAndFallsWithEpsilon) {
  for (double mu = 1e-6; mu < 1e4; mu *= 1.3) {
    double previous = 1;
    for (double epsilon = 0; epsilon < 40 * mu; epsilon += mu / 2) {
      const double value = gaussian_log_hockey_stick(mu, epsilon);
      EXPECT_LE(value, previous) << mu << ' ' << epsilon;
      EXPECT_LE(value, gaussian_log_hockey_stick(1.01 * mu, epsilon)) << mu << ' ' << epsilon;
      previous = value;
    }
  }
}

double tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

// Against the definition: the best of many half-lines, which misses it by about the square of their distance.
TEST(PldHockeyStick, MirroredIsTheBestHalfLine) {
  for (double mu : {0.3, 1.0, 4.0}) {
    for (double q : {0.01, 0.3, 0.9}) {
      for (double epsilon : {0.0, 0.05, 0.7, 2.0}) {
        double best = 0;
        for (double x = 0; x < 12; x += 1e-4) {
          const double first = (1 - q) * tail(x) + q * tail(x - mu);
          const double second = (1 - q) * tail(x) + q * tail(x + mu);
          best = std::max(best, first - std::exp(epsilon) * second);
        }
        EXPECT_NEAR(std::exp(mirrored_log_hockey_stick(mu, q, epsilon)), best, 1e-7 * best + 1e-16)
            << mu << ' ' << q << ' ' << epsilon;
      }
    }
  }
}

// With 120 digits (mpmath), where the definition cancels.
TEST(PldHockeyStick, MirroredMatchesManyDigits) {
  const struct {
    double mu, q, epsilon, log_value;
  } golden[] = {
      {1e-06, 1e-08, 1e-15, -32.525365542066134},  {1e-06, 1e-08, 1e-13, -48.2873452839064},
      {0.001, 0.0064, 1e-05, -13.351675511241233}, {0.001, 0.0064, 0.0002, -139.75525669080153},
      {0.08, 0.01, 0.002, -9.4188276214859756},    {0.08, 0.01, 0.3, -996.21972045674738},
      {0.9, 0.5, 5.0, -18.238124086710258},        {5.0, 1e-08, 10.0, -26.186707715895579},
      {5.0, 0.999, 60.0, -36.964199081995903},
  };
  for (const auto& g : golden)
    EXPECT_NEAR(mirrored_log_hockey_stick(g.mu, g.q, g.epsilon), g.log_value,
                1e-11 * std::max(1.0, -g.log_value / 10))
        << g.mu << ' ' << g.q << ' ' << g.epsilon;
}

}  // namespace
}  // namespace privet::privacy
