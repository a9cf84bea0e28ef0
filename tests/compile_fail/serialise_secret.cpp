// expect: conversion from
#include <nlohmann/json.hpp>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  const nlohmann::json document = secret;
#else
  ReleaseLog log;
  const nlohmann::json document = declassify(secret, "a number", "an example", log);
#endif
  return document.empty() ? 1 : 0;
}
