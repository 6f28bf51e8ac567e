#include <mercer/version.hpp>

#include <cstdio>

int main() { std::puts("mercer " MERCER_VERSION); }
