#pragma once
// What a picture of a run shows: a few panels of lines and dots over time.

#include <mercer/trace.hpp>

#include <string>
#include <vector>

namespace mercer {

struct Series {
  std::string name;
  std::size_t colour = 0;  ///< of svg::label_colour
  bool dots = false;       ///< or a line
  std::vector<double> y;   ///< one a row of the trace; NaN: nothing
};

struct ChartPanel {
  std::string title;
  std::string y_title;
  bool logarithmic = false;  ///< numbers that are not positive are left out
  std::vector<Series> series;
};

/// At most `svg::label_colours` modes are shown.
std::vector<ChartPanel> run_panels(const std::vector<TraceRow>& trace);

/// Times of the rows; on a logarithmic axis where they span decades, as the beginning is where most
/// happens.
struct TimeAxis {
  std::vector<double> time;
  bool logarithmic = false;
};
TimeAxis time_axis(const std::vector<TraceRow>& trace);

/// The panels over time, two a line, with axes and a legend.
std::string chart_svg(const std::vector<ChartPanel>& panels, const TimeAxis& x,
                      const std::string& x_title, const std::string& title, int size);

}  // namespace mercer
