#pragma once
// A small check that text is well-formed XML, and a way to find its elements.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;                 ///< with its entities, of this element alone
  std::vector<std::string> inside;  ///< the names of what it stands in
};

/// Every element in order; `problem` says what is wrong, and is empty when the text is well-formed.
struct Xml {
  std::vector<Element> elements;
  std::string problem;

  std::vector<Element> all(std::string_view name) const {
    std::vector<Element> out;
    for (const Element& e : elements)
      if (e.name == name) out.push_back(e);
    return out;
  }
};

inline Xml parse_xml(const std::string& text) {
  Xml xml;
  std::vector<std::size_t> open;
  const auto wrong = [&](const std::string& what, std::size_t at) {
    if (xml.problem.empty()) xml.problem = what + " at byte " + std::to_string(at);
  };
  const auto check_text = [&](std::string_view piece, std::size_t at) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const auto c = static_cast<unsigned char>(piece[i]);
      if (c == '<' || (c < ' ' && c != '\n' && c != '\t')) wrong("a bare character", at + i);
      if (c != '&') continue;
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        known = known || piece.substr(i).starts_with(entity);
      if (!known) wrong("a bare &", at + i);
    }
  };
  std::size_t at = 0;
  while (at < text.size() && xml.problem.empty()) {
    if (text[at] != '<') {
      const std::size_t end = std::min(text.find('<', at), text.size());
      const std::string piece = text.substr(at, end - at);
      check_text(piece, at);
      if (open.empty() && piece != "\n") wrong("text outside", at);
      if (!open.empty()) xml.elements[open.back()].text += piece;
      at = end;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == text.npos) {
      wrong("an open tag", at);
      break;
    }
    std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || xml.elements[open.back()].name != tag.substr(1)) wrong("</" + tag, at);
      else open.pop_back();
    } else {
      const bool closed = tag.ends_with('/');
      if (closed) tag.pop_back();
      Element element;
      std::size_t i = std::min(tag.find(' '), tag.size());
      element.name = tag.substr(0, i);
      for (const std::size_t o : open) element.inside.push_back(xml.elements[o].name);
      while (i < tag.size()) {
        const std::size_t equals = tag.find("=\"", ++i);
        const std::size_t quote = equals == tag.npos ? tag.npos : tag.find('"', equals + 2);
        if (quote == tag.npos) {
          wrong("an attribute without value", at + i);
          break;
        }
        const std::string value = tag.substr(equals + 2, quote - equals - 2);
        check_text(value, at + equals);
        if (!element.attributes.emplace(tag.substr(i, equals - i), value).second)
          wrong("an attribute twice", at + i);
        i = quote + 1;
      }
      if (xml.elements.size() > 0 && open.empty()) wrong("a second root", at);
      xml.elements.push_back(element);
      if (!closed) open.push_back(xml.elements.size() - 1);
    }
    at = end + 1;
  }
  if (!open.empty()) wrong("an element without end", text.size());
  return xml;
}

}  // namespace mercer::test
