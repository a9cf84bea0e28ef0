#include "privet/privacy/mechanisms/clipped_sum.hpp"
#include "privet/privacy/mechanisms/gaussian.hpp"
