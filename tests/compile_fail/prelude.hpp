#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
