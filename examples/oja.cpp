// Oja's rule beside its differential equation, as a picture.

#include <mercer/mercer.hpp>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  const auto source = mercer::open<double>(argc > 1 ? argv[1] : "iris.csv", {.label = "species"});
  const mercer::Learned learned =
      mercer::learn(*source, {.learner = {.rule = "oja", .rate = mercer::Rate::constant(0.002)},
                              .epochs = 10,
                              .theory = true,
                              .trace_every = 5});

  std::ofstream("oja.svg") << mercer::run_svg(learned.trace, {.title = "Oja's rule on iris"});
  std::cout << learned.convergence.text << '\n'
            << learned.theory->angles[0] << " degrees from the first component, "
            << learned.theory->mean_gap << " from the ODE in the mean\n";
  return learned.theory->angles[0] < 5 ? 0 : 1;
}
