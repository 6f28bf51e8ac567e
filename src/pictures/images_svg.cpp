// The mean and components of a linear model as images.
#include "core/require.hpp"
#include "pictures/raster.hpp"

#include <mercer/figures.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index most_images = 63;       // and the mean
constexpr Index most_image_cells = 96;  // per side: more are averaged

/// Numbers row by row as an image.
Matrix<double> image_of(const Vector<double>& numbers, Index width) {
  return Eigen::Map<const Matrix<double>>(numbers.data(), numbers.size() / width, width);
}

Index width_of_image(Index columns, Index asked) {
  if (asked == 0) {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(columns))));
    require(side * side == columns, Errc::bad_option,
            "{} columns are not a square image: give `image_width`, the number of pixels per line",
            columns);
    return side;
  }
  require(asked >= 1 && asked <= columns && columns % asked == 0, Errc::bad_option,
          "`image_width={}` does not divide the {} columns of the model into lines", asked,
          columns);
  return asked;
}

}  // namespace

template <class T>
std::string images_svg(const Model<T>& model, Index image_width, const PlotOptions& options) {
  require(model.map().is_identity(), Errc::bad_option,
          "components are images in linear models; this one has {}", space_text(model));
  const Index d = model.inputs(), width = width_of_image(d, image_width), height = d / width;
  check_size(options);
  std::vector<Index> chosen = options.components;
  require(static_cast<Index>(chosen.size()) <= most_images, Errc::bad_option,
          "{} components are more than the {} images that can be drawn", chosen.size(),
          most_images);
  for (Index c = 0; options.components.empty() && c < std::min<Index>(15, model.outputs()); ++c)
    chosen.push_back(c);
  for (const Index c : chosen)
    require(c >= 0 && c < model.outputs(), Errc::bad_option,
            "there is no component {}: the model has {}", c + 1, model.outputs());

  std::vector<std::string> notes = {
      "Components: white is 0, each on its own scale; the mean: white is its least value"};
  if (std::max(width, height) > most_image_cells)
    notes.push_back(
        fmt::format("Squares are means of neighbouring pixels of {} \u00d7 {}", width, height));
  const Figure figure(options,
                      fmt::format("Mean and components as images of {} \u00d7 {}", width, height),
                      {}, notes, 12);
  // The page has neither numbers nor names of axes.
  const Box all{12, figure.box().y - 4, options.width - 24.0, figure.box().height + 32};
  const auto images = static_cast<Index>(chosen.size()) + 1;
  constexpr double gap = 12, caption = 18;
  const double ratio = static_cast<double>(height) / static_cast<double>(width);
  Index across = 1;
  double side = 0;  // width of an image: as large as the page allows
  for (Index n = 1; n <= images; ++n) {
    const auto down = static_cast<double>((images + n - 1) / n);
    const double by_width = (all.width - gap * static_cast<double>(n - 1)) / static_cast<double>(n);
    const double by_height = ((all.height - gap * (down - 1)) / down - caption) / ratio;
    if (std::min(by_width, by_height) > side) {
      side = std::min(by_width, by_height);
      across = n;
    }
  }
  require(side >= 8 && side * ratio >= 2, Errc::bad_option,
          "{} images do not fit into {} \u00d7 {} pixels", images, options.width, options.height);
  const Vector<double> share = model.explained_variance_ratio();
  const double indent = (all.width - (side + gap) * static_cast<double>(across) + gap) / 2;
  std::string out;
  for (Index i = 0; i < images; ++i) {
    const Index row = i / across, column = i % across;
    const Box box{all.x + indent + (side + gap) * static_cast<double>(column),
                  all.y + caption + (side * ratio + gap + caption) * static_cast<double>(row), side,
                  side * ratio};
    const Vector<double> numbers =
        i == 0 ? Vector<double>(model.mean().template cast<double>())
               : Vector<double>(model.components()
                                    .row(chosen[static_cast<std::size_t>(i - 1)])
                                    .transpose()
                                    .template cast<double>());
    const Matrix<double> image = block_means(image_of(numbers, width), most_image_cells);
    const double low = image.minCoeff(), high = image.maxCoeff();
    const double size = std::max(std::abs(low), std::abs(high));
    const Shades shades = i == 0
                              ? Shades(low, high > low ? high : low + 1, Shades::Kind::greys)
                              : Shades(-size, size > 0 ? size : 1, Shades::Kind::violet_to_orange);
    out += raster_svg(image, box, shades) + Figure::border(box);
    std::string name = "mean";
    if (i > 0) {
      const Index c = chosen[static_cast<std::size_t>(i - 1)];
      name = side >= 100 ? component_title(c, share) : fmt::format("PC{}", c + 1);
    }
    if (text_width(name) <= side + gap) out += text_at(box.x + side / 2, box.y - 5, "middle", name);
  }
  return figure.page(out);
}

template std::string images_svg(const Model<float>&, Index, const PlotOptions&);
template std::string images_svg(const Model<double>&, Index, const PlotOptions&);

}  // namespace mercer
