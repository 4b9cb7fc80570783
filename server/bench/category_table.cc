// SPDX-License-Identifier: Apache-2.0
#include "server/bench/category_table.h"

#include <algorithm>
#include <string>
#include <vector>

#include "server/bench/number_text.h"
#include "server/bench/table.h"

namespace causeway::bench {
namespace {

using decoder::Block;
using decoder::Category;
using decoder::StepTimes;
using std::chrono::nanoseconds;

std::vector<Category> UsedCategories(const StepTimes& times) {
  std::vector<Category> categories;
  for (int index = 0; index < decoder::kCategoryCount; ++index) {
    const Category category = static_cast<Category>(index);
    if (times.launches(category) > 0) categories.push_back(category);
  }
  std::stable_sort(categories.begin(), categories.end(), [&](Category left, Category right) {
    return times.duration(left) > times.duration(right);
  });
  return categories;
}

std::vector<Block> Blocks() {
  std::vector<Block> blocks;
  for (int index = 0; index < decoder::kBlockCount; ++index) {
    blocks.push_back(static_cast<Block>(index));
  }
  return blocks;
}

nanoseconds BlockSum(const StepTimes& times, Block block) {
  nanoseconds sum{0};
  for (const Category category : UsedCategories(times)) sum += times.duration(category, block);
  return sum;
}

}  // namespace

double Milliseconds(nanoseconds duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

nanoseconds CategorySum(const StepTimes& times) {
  nanoseconds sum{0};
  for (const Block block : Blocks()) sum += BlockSum(times, block);
  return sum;
}

void PrintCategories(const StepTimes& times, std::ostream& out) {
  std::vector<Column> columns{{"category, ms"},
                              {"launches", Align::kRight},
                              {"all", Align::kRight},
                              {"share", Align::kRight}};
  for (const Block block : Blocks()) columns.push_back({BlockName(block), Align::kRight});
  Table table(std::move(columns));

  const double sum = Milliseconds(CategorySum(times));
  std::int64_t launches = 0;
  for (const Category category : UsedCategories(times)) {
    const double all = Milliseconds(times.duration(category));
    launches += times.launches(category);
    std::vector<std::string> cells{CategoryName(category), Grouped(times.launches(category)),
                                   Fixed(all, 2), Percent(all, sum)};
    for (const Block block : Blocks()) {
      cells.push_back(Fixed(Milliseconds(times.duration(category, block)), 2));
    }
    table.AddRow(std::move(cells));
  }
  table.AddRule();
  std::vector<std::string> sums{"sum", Grouped(launches), Fixed(sum, 2), Percent(sum, sum)};
  std::vector<std::string> shares{"share", "", "", ""};
  for (const Block block : Blocks()) {
    const double of_block = Milliseconds(BlockSum(times, block));
    sums.push_back(Fixed(of_block, 2));
    shares.push_back(Percent(of_block, sum));
  }
  table.AddRow(std::move(sums));
  table.AddRow(std::move(shares));
  table.Print(out);
}

void WriteCategories(const StepTimes& times, JsonWriter& json) {
  const double sum = Milliseconds(CategorySum(times));
  json.BeginArray();
  for (const Category category : UsedCategories(times)) {
    const double all = Milliseconds(times.duration(category));
    json.BeginObject();
    json.Name("name").String(CategoryName(category));
    json.Name("ms").Real(all).Name("share").Real(all / sum);
    json.Name("launches").Integer(times.launches(category));
    json.Name("block_ms").BeginObject();
    for (const Block block : Blocks()) {
      json.Name(BlockName(block)).Real(Milliseconds(times.duration(category, block)));
    }
    json.EndObject().EndObject();
  }
  json.EndArray();
}

}  // namespace causeway::bench
