#pragma once
// A picture with one frame: title above, axes around, a legend and notes below.

#include "pictures/scale.hpp"

#include <mercer/picture.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Box {
  double x, y, width, height;  ///< x, y: the upper left corner
  bool overlaps(const Box& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
  bool inside(const Box& other) const {
    return x >= other.x && y >= other.y && x + width <= other.x + other.width &&
           y + height <= other.y + other.height;
  }
};

constexpr double font_size = 12;
/// Nobody measures letters here: enough for all but the widest.
double text_width(std::string_view utf8);
/// At most `most` characters, as `svg::text` shows it.
double text_width(std::string_view utf8, std::size_t most);

/// What stands for a group in the legend.
enum class Mark { dot, ring, bar, line };
struct LegendEntry {
  std::string name;
  std::string colour;
  Mark mark = Mark::dot;
};

struct Frame {
  Box box;
  AxisScale across, up;
  double x(double value) const { return box.x + across.at(value); }
  double y(double value) const { return box.y + box.height - up.at(value); }
};

/// Where the frame stands when the rest has found its place.
class Figure {
 public:
  /// `title` is used where the options have none. `left` is the room for numbers and names there.
  Figure(const PlotOptions& options, const std::string& title,
         const std::vector<LegendEntry>& legend, const std::vector<std::string>& notes,
         double left = 68);

  const Box& box() const { return box_; }

  /// Ticks, numbers and names of both axes.
  static std::string axes(const Frame& frame, const std::string& x_title,
                          const std::string& y_title);
  static std::string border(const Box& box);
  /// The whole picture around what stands in the frame.
  std::string page(const std::string& content) const;

 private:
  double width_, height_;
  std::string title_, around_;
  Box box_{};
};

std::string text_at(double x, double y, const char* anchor, const std::string& escaped,
                    const char* more = "");

/// Axes through the origin, where it is in sight.
std::string origin_lines(const Frame& frame);
/// A line with a head at its end, of class `arrow`.
std::string arrow(double x0, double y0, double x1, double y1);

/// The colour of a group: those after the last colour have the same ones again, as rings.
std::string group_colour(std::size_t group);
constexpr std::size_t most_groups = 2 * svg::label_colours;

/// 640 × 480 and the like. Throws `Errc::bad_option` outside of what can be drawn.
void check_size(const PlotOptions& options);

/// "PC1 (36.2 %)"
std::string component_title(Index component, const Vector<double>& ratio);
/// The kernel or map of a model, for messages.
template <class T>
std::string space_text(const Model<T>& model) {
  const std::string kernel = model.map().kernel();
  return kernel.empty() ? "the map " + model.map().text() : "the kernel " + kernel;
}
/// The components asked for, `count` of them or the first ones; they exist.
std::vector<Index> chosen_components(const PlotOptions& options, Index outputs, std::size_t least,
                                     std::size_t most);
/// 50000 → "50,000"
std::string with_commas(Index number);

}  // namespace mercer
