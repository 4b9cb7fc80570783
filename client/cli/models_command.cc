// SPDX-License-Identifier: Apache-2.0
#include "client/cli/models_command.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "client/cli/decode_options.h"
#include "client/lib/decode_client.h"
#include "server/base/json_writer.h"

namespace causeway::cli {
namespace {

constexpr std::size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

constexpr std::array<const char*, kColumns> kHeader = {
    "model",           "family",         "base width",      "width x height",
    "bytes a session", "GFLOP a latent", "latents a chunk", "replay latents"};

std::string Mebibytes(std::int64_t bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / (1 << 20) << " MiB";
  return text.str();
}

std::string Giga(std::int64_t count) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(count) / 1e9;
  return text.str();
}

Row RowOf(const v1::Model& model) {
  Row row;
  row[0] = model.name();
  row[1] = model.family();
  row[2] = std::to_string(model.base_width());
  row[7] = std::to_string(model.replay_latents());
  return row;
}

std::string LimitsText(const v1::GeometryLimits& limits) {
  return "any of " + std::to_string(limits.min()) + " to " + std::to_string(limits.max()) +
         ", in steps of " + std::to_string(limits.multiple_of());
}

std::vector<Row> RowsOf(const std::vector<v1::Model>& models) {
  std::vector<Row> rows;
  for (const v1::Model& model : models) {
    for (const v1::GeometryCost& cost : model.geometries()) {
      Row row = RowOf(model);
      row[3] =
          std::to_string(cost.geometry().width()) + "x" + std::to_string(cost.geometry().height());
      row[4] = Mebibytes(cost.state_bytes());
      row[5] = Giga(cost.flops_per_latent());
      row[6] = std::to_string(cost.max_chunk_latents());
      rows.push_back(row);
    }
    if (model.geometries().empty()) {
      Row row = RowOf(model);
      row[3] = LimitsText(model.geometry_limits());
      for (const std::size_t unknown : {4, 5, 6}) row[unknown] = "-";
      rows.push_back(row);
    }
  }
  return rows;
}

void PrintTable(const std::vector<v1::Model>& models, std::ostream& out) {
  if (models.empty()) {
    out << "the server holds no model\n";
    return;
  }
  Row header;
  std::copy(kHeader.begin(), kHeader.end(), header.begin());
  std::vector<Row> rows = RowsOf(models);
  rows.insert(rows.begin(), header);
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < kColumns; ++i) {
      out << std::left << std::setw(static_cast<int>(widths[i] + 2)) << row[i];
    }
    out << row[kColumns - 1] << '\n';
  }
  for (const v1::Model& model : models) out << model.name() << ": " << model.backend() << '\n';
}

void Write(JsonWriter& json, const v1::Model& model) {
  json.BeginObject();
  json.Name("name").String(model.name()).Name("family").String(model.family());
  json.Name("base_width").Integer(model.base_width());
  json.Name("latent_channels").Integer(model.latent_channels());
  json.Name("first_latent_frames").Integer(model.frame_rule().first_latent_frames());
  json.Name("per_latent_frames").Integer(model.frame_rule().per_latent_frames());
  json.Name("backend").String(model.backend());
  json.Name("replay_latents").Integer(model.replay_latents());
  json.Name("geometry_multiple_of").Integer(model.geometry_limits().multiple_of());
  json.Name("geometry_min").Integer(model.geometry_limits().min());
  json.Name("geometry_max").Integer(model.geometry_limits().max());
  json.Name("geometries").BeginArray();
  for (const v1::GeometryCost& cost : model.geometries()) {
    json.BeginObject();
    json.Name("height").Integer(cost.geometry().height());
    json.Name("width").Integer(cost.geometry().width());
    json.Name("state_bytes").Integer(cost.state_bytes());
    json.Name("flops_per_latent").Integer(cost.flops_per_latent());
    json.Name("max_chunk_latents").Integer(cost.max_chunk_latents());
    json.EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

CLI::App* AddModelsCommand(CLI::App& app, ModelsOptions& options) {
  CLI::App* command = app.add_subcommand("models", "List what a server holds");
  AddServerFlags(*command, options.server, options.connect_timeout_s);
  command->add_flag("--json", options.json, "Print JSON");
  return command;
}

std::vector<v1::Model> AskForModels(const ModelsOptions& options) {
  client::ClientOptions client_options;
  client_options.server = options.server;
  client_options.connect_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(options.connect_timeout_s * 1000));
  return client::DecodeClient(client_options).ListModels();
}

void PrintModels(const std::vector<v1::Model>& models, bool json, std::ostream& out) {
  if (!json) {
    PrintTable(models, out);
    return;
  }
  JsonWriter writer(2);
  writer.BeginObject().Name("models").BeginArray();
  for (const v1::Model& model : models) Write(writer, model);
  writer.EndArray().EndObject();
  out << writer.text() << '\n';
}

}  // namespace causeway::cli
