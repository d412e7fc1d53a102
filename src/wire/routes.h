// Every route of version 1, in one table: the daemon serves it and the OpenAPI document lists it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice {

struct ApiParameter {
  std::string_view name;
  std::string_view what;
};

struct ApiRoute {
  std::string_view method;
  std::string_view path;       // "/v1/jobs/{id}/why": a part in braces matches anything but '/'.
  std::string_view operation;  // The handler's name.
  std::string_view what;
  std::string_view request;       // The schema of the body, or "".
  std::string_view response;      // The schema of the answer, or "" where it is not JSON.
  std::string_view content_type;  // Of the answer.
  std::span<const ApiParameter> query;
  std::string_view also = {};  // Another type that the answer can have.
};

std::span<const ApiRoute> routes();

// As `sluice api` prints it.
std::string openapi_document();

}  // namespace sluice
