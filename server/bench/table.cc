// SPDX-License-Identifier: Apache-2.0
#include "server/bench/table.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace causeway::bench {
namespace {

constexpr std::string_view kGap = "  ";

std::string Pad(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - text.size(), ' ');
  return align == Align::kLeft ? text + blanks : blanks + text;
}

void PrintTrimmed(std::string line, std::ostream& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::AddRow(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a row of another number of cells");
  lines_.push_back({std::move(cells), {}});
}

void Table::AddHeading(std::string text) { lines_.push_back({{}, std::move(text)}); }

void Table::AddRule() { lines_.push_back({}); }

void Table::Print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  std::size_t total = kGap.size() * (columns_.size() - 1);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = columns_[column].header.size();
    for (const Line& line : lines_) {
      if (!line.cells.empty()) width = std::max(width, line.cells[column].size());
    }
    widths.push_back(width);
    total += width;
  }
  const auto join = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      if (column > 0) text += kGap;
      text += Pad(cell_of(column), widths[column], columns_[column].align);
    }
    return text;
  };
  const std::string rule(total, '-');

  PrintTrimmed(join([&](std::size_t column) { return columns_[column].header; }), out);
  out << rule << '\n';
  for (const Line& line : lines_) {
    if (!line.cells.empty()) {
      PrintTrimmed(join([&](std::size_t column) { return line.cells[column]; }), out);
    } else {
      out << (line.heading.empty() ? rule : line.heading) << '\n';
    }
  }
}

void PrintPairs(const std::vector<std::pair<std::string, std::string>>& pairs, std::ostream& out) {
  std::size_t width = 0;
  for (const auto& [name, value] : pairs) width = std::max(width, name.size());
  for (const auto& [name, value] : pairs) {
    PrintTrimmed(Pad(name, width, Align::kLeft) + std::string(kGap) + value, out);
  }
}

}  // namespace causeway::bench
