#include "terminal/job.hpp"

#include "core/team.hpp"

namespace mercer::cli {

Job& job() {
  static Job of_this_process;
  return of_this_process;
}

std::string& unsaid() {
  static std::string text;
  return text;
}

void together(const std::function<void()>& work) {
  if (Team* const team = job().team) agree(*team, work);
  else work();
}

void by_first(const std::function<void()>& work) {
  together([&] {
    if (job().leads()) work();
  });
}

}  // namespace mercer::cli
