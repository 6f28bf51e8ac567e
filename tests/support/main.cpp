#include "simd/targets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // As for the program: the tests hold for every instruction set that the machine has.
  if (const char* simd = std::getenv("MERCER_SIMD"); simd && *simd) mercer::force_simd(simd);
  return RUN_ALL_TESTS();
}
