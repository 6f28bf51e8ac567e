#include <vector>

std::vector<int> first() { return {1, 2, 3}; }
