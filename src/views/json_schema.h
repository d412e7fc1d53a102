// The JSON Schema of a struct, from the description that writes and reads it.
#pragma once

#include "views/json_fields.h"

namespace sluice {

class JsonSchemaWriter {
 public:
  explicit JsonSchemaWriter(JsonWriter& out) : out_(out) {}

  template <class T>
  void operator()(std::string_view name, const T& value) {
    out_.key(name);
    element(value);
  }

  template <class T>
  void element(const T& value) {
    if constexpr (IsOptional<T>::value) {
      return element(typename T::value_type{});
    } else {
      out_.begin_object();
      describe(value);
      out_.end_object();
    }
  }

 private:
  template <class T>
  void describe(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      type("boolean");
    } else if constexpr (HasWords<T>) {
      type("string");
      out_.key("enum");
      out_.begin_array();
      for (const std::string_view word : json_words(value)) out_.text(word);
      out_.end_array();
    } else if constexpr (std::is_integral_v<T> || IsId<T>::value) {
      type("integer");
    } else if constexpr (std::is_floating_point_v<T>) {
      type("number");
      out_.key("nullable");
      out_.boolean(true);
    } else if constexpr (std::is_same_v<T, Duration>) {
      type("number");
      out_.key("description");
      out_.text("seconds");
    } else if constexpr (std::is_same_v<T, Instant>) {
      type("number");
      out_.key("description");
      out_.text("seconds since 1970");
    } else if constexpr (std::is_same_v<T, std::string> || HasText<T>) {
      type("string");
    } else if constexpr (IsVector<T>::value) {
      type("array");
      out_.key("items");
      element(typename T::value_type{});
    } else if constexpr (IsTextMap<T>::value) {
      type("object");
      out_.key("additionalProperties");
      out_.begin_object();
      type("string");
      out_.end_object();
    } else {
      type("object");
      out_.key("properties");
      out_.begin_object();
      json_fields(*this, value);
      out_.end_object();
      out_.key("additionalProperties");
      out_.boolean(false);
    }
  }
  void type(std::string_view name) {
    out_.key("type");
    out_.text(name);
  }
  JsonWriter& out_;
};

}  // namespace sluice
