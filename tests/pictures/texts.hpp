#pragma once
// Where the texts of a picture stand, and whether they stand in each other's way.

#include "pictures/xml.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace mercer::test {

struct TextBox {
  std::string text;
  double left, right, top, bottom;
};

inline double attribute(const Element& e, const char* name, double otherwise = 0) {
  const auto found = e.attributes.find(name);
  return found == e.attributes.end() ? otherwise : std::stod(found->second);
}

/// Letters are taken as half as wide as the font is high, and three quarters of it high.
inline std::vector<TextBox> text_boxes(const Xml& xml) {
  std::vector<TextBox> out;
  for (const Element& e : xml.all("text")) {
    const double size = attribute(e, "font-size", 12);
    double letters = 0;
    bool entity = false;
    for (const char c : e.text) {
      if (c == '&') entity = true;
      if (c == ';') entity = false;
      letters += !entity && (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
    }
    const double width = 0.5 * size * letters, height = 0.75 * size;
    const auto anchor = e.attributes.find("text-anchor");
    const double share = anchor == e.attributes.end() || anchor->second == "start" ? 0
                         : anchor->second == "middle"                              ? 0.5
                                                                                   : 1;
    const auto turned = e.attributes.find("transform");
    double x = attribute(e, "x"), y = attribute(e, "y");
    if (turned != e.attributes.end()) {
      EXPECT_EQ(std::sscanf(turned->second.c_str(), "translate(%lf %lf)rotate(-90)", &x, &y), 2);
      out.push_back({e.text, x - height, x, y - width * (1 - share), y + width * share});
    } else {
      out.push_back({e.text, x - width * share, x + width * (1 - share), y - height, y});
    }
  }
  return out;
}

/// The picture is XML, its texts lie on the page, and none covers another.
inline Xml expect_clean(const std::string& svg) {
  const Xml xml = parse_xml(svg);
  EXPECT_EQ(xml.problem, "");
  if (xml.elements.empty()) return xml;
  const double width = attribute(xml.elements[0], "width"),
               height = attribute(xml.elements[0], "height");
  const std::vector<TextBox> boxes = text_boxes(xml);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const TextBox& a = boxes[i];
    EXPECT_TRUE(a.left >= 0 && a.right <= width && a.top >= 0 && a.bottom <= height)
        << "'" << a.text << "' leaves the page";
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      const TextBox& b = boxes[j];
      EXPECT_FALSE(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          << "'" << a.text << "' and '" << b.text << "'";
    }
  }
  return xml;
}

inline bool says(const Xml& xml, const std::string& text) {
  for (const Element& e : xml.all("text"))
    if (e.text.find(text) != e.text.npos) return true;
  return false;
}

}  // namespace mercer::test
