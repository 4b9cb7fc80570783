// SPDX-License-Identifier: Apache-2.0
// Tables of text for a terminal. Cells are ASCII: a byte is a column.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace causeway::bench {

enum class Align { kLeft, kRight };

struct Column {
  std::string header;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  /// One cell a column; throws std::logic_error for another number.
  void AddRow(std::vector<std::string> cells);
  /// A line between the rows, aligned with nothing.
  void AddHeading(std::string text);
  /// A rule across the table.
  void AddRule();

  void Print(std::ostream& out) const;

 private:
  struct Line {
    std::vector<std::string> cells;  // empty: `heading`, or a rule where that is empty too
    std::string heading;
  };

  std::vector<Column> columns_;
  std::vector<Line> lines_;
};

/// Names and values, one pair a line, the values aligned.
void PrintPairs(const std::vector<std::pair<std::string, std::string>>& pairs, std::ostream& out);

}  // namespace causeway::bench
