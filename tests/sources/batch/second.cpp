// Lives on what first.cpp includes and declares.
std::vector<int> second() { return first(); }
