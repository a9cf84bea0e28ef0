#include <vector>

#include "privet/cli/program.hpp"

int main(int argc, char** argv) { return privet::cli::run(std::vector<std::string>(argv + 1, argv + argc)); }
