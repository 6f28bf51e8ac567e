#pragma once
// Marks of a figure: elements by class, and where numbers stand in pixels.

#include "pictures/texts.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mercer::test {

inline std::vector<Element> of_class(const Xml& xml, const char* name, const std::string& value) {
  std::vector<Element> out;
  for (const Element& e : xml.all(name))
    if (e.attributes.count("class") > 0 && e.attributes.at("class") == value) out.push_back(e);
  return out;
}

inline std::vector<std::string> texts_of(const TextColumn& column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
  return out;
}

/// From numbers to pixels, by the ticks of an axis and their texts.
struct Pixels {
  double at0 = 0, per_unit = 1;
  double operator()(double value) const { return at0 + per_unit * value; }
};

/// Of the texts below (or left of) the frame that are numbers.
inline Pixels scale_of(const Xml& xml, bool across) {
  std::vector<std::pair<double, double>> found;  // value, pixel
  for (const Element& e : xml.all("text")) {
    double value = 0;
    char rest = 0;
    if (std::sscanf(e.text.c_str(), "%lf%c", &value, &rest) != 1) continue;
    const bool below = e.attributes.at("text-anchor") == "middle";
    if (below == across)
      found.emplace_back(value, across ? attribute(e, "x") : attribute(e, "y") - 4);
  }
  EXPECT_GE(found.size(), 2u);
  Pixels out;
  out.per_unit =
      (found.back().second - found.front().second) / (found.back().first - found.front().first);
  out.at0 = found.front().second - out.per_unit * found.front().first;
  return out;
}

inline std::vector<double> numbers_of(const std::string& path) {
  std::vector<double> out;
  std::string text = path;
  for (char& c : text)
    if (c == 'M' || c == 'L' || c == 'z') c = ' ';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t used = 0;
    try {
      out.push_back(std::stod(text.substr(at), &used));
    } catch (const std::invalid_argument&) {
      break;
    }
    at += used;
  }
  return out;
}

}  // namespace mercer::test
