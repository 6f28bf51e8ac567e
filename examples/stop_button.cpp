// A caller that watches long work, and stops it.

#include <mercer/mercer.hpp>

#include <iostream>

int main() {
  const mercer::Matrix<double> x = mercer::Matrix<double>::Random(200000, 64);

  int calls = 0;
  mercer::FitOptions options{.components = 4};
  options.monitor = [&](const mercer::Progress& progress) {
    ++calls;
    std::cout << progress.what << ": " << progress.done << " of " << progress.total << ' '
              << progress.unit << '\n';
    return false;  // the button is pressed at once
  };

  try {
    mercer::fit(x, options);
  } catch (const mercer::Error& error) {
    std::cout << error.what() << " after " << calls << " call(s)\n";
    return error.code() == mercer::Errc::interrupted ? 0 : 1;
  }
  return 1;
}
