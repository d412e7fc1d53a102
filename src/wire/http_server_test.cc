#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "wire/http.h"
#include "wire/http_client.h"
#include "wire/socket_for_tests.h"

namespace sluice {
namespace {

// A connection without a library: what a client may send that ours never does.
class Line {
 public:
  explicit Line(const std::string& path) : socket_(SocketForTests::open(path, ::connect)) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { ::close(socket_); }
  bool send(std::string_view text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
  }
  // All that comes until `end` is there, or the other side has closed.
  std::string receive_until(std::string_view end) {
    std::string all;
    char piece[256];
    ssize_t got = 0;
    while (all.find(end) == std::string::npos &&
           (got = ::recv(socket_, piece, sizeof piece, 0)) > 0)
      all.append(piece, static_cast<std::size_t>(got));
    return all;
  }
  // Whether so many of these came before the other side closed.
  bool receive_marks(char mark, int count) {
    std::string piece(1 << 16, '\0');
    for (ssize_t got = 1; count > 0 && got > 0;) {
      got = ::recv(socket_, piece.data(), piece.size(), 0);
      if (got > 0) count -= static_cast<int>(std::count(piece.begin(), piece.begin() + got, mark));
    }
    return count == 0;
  }
  bool was_closed() {
    char byte = 0;
    return ::recv(socket_, &byte, 1, 0) <= 0;
  }

 private:
  int socket_;
};

// Answers with what it was asked; /follow is a stream that the test holds.
class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { settings_.socket = place_.path(); }
  ~HttpServerTest() override {
    on_loop([this] {
      stream_.reset();
      server_->close();
      loop_.stop();
    });
    thread_.join();
    server_.reset();
  }
  void start() {
    auto made = HttpServer::listen(loop_, settings_, [this](HttpRequest request, auto reply) {
      ++requests_;
      if (request.path == "/big")
        return reply->send(200, "text/plain", std::string(1 << 20, 'b') + "!");
      if (request.path == "/follow") {
        reply->begin_stream("text/plain");
        stream_ = std::move(reply);
        return;
      }
      reply->send(200, "text/plain", request.method + " " + request.path + " " + request.body);
    });
    ASSERT_TRUE(made) << made.error().text();
    server_ = std::move(*made);
    thread_ = std::thread([this] { loop_.run(); });
  }
  void on_loop(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  SocketForTests place_;
  HttpServerSettings settings_;
  Loop loop_;
  std::unique_ptr<HttpServer> server_;
  std::shared_ptr<HttpReply> stream_;
  std::atomic<int> requests_{0};
  std::thread thread_;
};

TEST_F(HttpServerTest, RequestsMayComeInPiecesOrTogether) {
  start();
  Line line(settings_.socket);
  const std::string body(20'000, 'b');
  const std::string one = "POST /one HTTP/1.1\r\nContent-Length: 20000\r\n\r\n" + body;
  for (std::size_t at = 0; at < 100; ++at) ASSERT_TRUE(line.send(one.substr(at, 1)));
  ASSERT_TRUE(line.send(one.substr(100)));
  EXPECT_NE(line.receive_until(body).find("POST /one " + body), std::string::npos);
  ASSERT_TRUE(line.send("GET /two HTTP/1.1\r\n\r\nGET /three HTTP/1.1\r\n\r\n"));
  const std::string both = line.receive_until("GET /three ");
  EXPECT_NE(both.find("GET /two "), std::string::npos);
}

TEST_F(HttpServerTest, OurClientAsksOneAfterAnother) {
  start();
  auto client = HttpClient::connect(settings_.socket);
  ASSERT_TRUE(client) << client.error().text();
  for (const std::size_t size : {0U, 10U, 100'000U, 3U}) {
    const std::string body(size, 'x');
    const auto answer = client->request("POST", "/v1/a%20b", body);
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->content_type, "text/plain");
    EXPECT_EQ(answer->body, "POST /v1/a b " + body);
  }
}

TEST_F(HttpServerTest, WhoDoesNotReadIsNotReadFrom) {
  start();
  Line line(settings_.socket);
  constexpr int kAsked = 50;
  for (int i = 0; i < kAsked; ++i) ASSERT_TRUE(line.send("GET /big HTTP/1.1\r\n\r\n"));
  while (requests_ == 0) std::this_thread::yield();
  // Everything that could be done without the reader is done.
  for (int i = 0; i < 100; ++i) on_loop([] {});
  EXPECT_LE(requests_, 2);
  EXPECT_TRUE(line.receive_marks('!', kAsked));
  EXPECT_EQ(requests_, kAsked);
}

TEST_F(HttpServerTest, ABodySaysHowLongItIs) {
  start();
  Line line(settings_.socket);
  ASSERT_TRUE(line.send("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"));
  EXPECT_NE(line.receive_until("Content-Length\"").find("411"), std::string::npos);
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpServerTest, ABodyThatDoesNotComeEndsTheConnection) {
  settings_.longest_body_time = Duration(100);
  start();
  Line line(settings_.socket);
  ASSERT_TRUE(line.send("POST /a HTTP/1.1\r\nContent-Length: 100000\r\n\r\nabc"));
  EXPECT_TRUE(line.was_closed());
}

TEST_F(HttpServerTest, TooMuchOnItsWayIsRefused) {
  settings_.receiving_of_one_user = 150'000;
  start();
  Line first(settings_.socket);
  ASSERT_TRUE(first.send("POST /a HTTP/1.1\r\nContent-Length: 100000\r\n\r\nabc"));
  on_loop([] {});
  // The first may not have been seen yet: then its own turn comes later, and one of them is
  // refused.
  Line second(settings_.socket);
  ASSERT_TRUE(second.send("POST /b HTTP/1.1\r\nContent-Length: 100000\r\n\r\nabc"));
  Line third(settings_.socket);
  ASSERT_TRUE(third.send("POST /c HTTP/1.1\r\nContent-Length: 200000\r\n\r\n"));
  EXPECT_NE(third.receive_until("}}").find("503"), std::string::npos);
}

TEST_F(HttpServerTest, WhatComesBehindAStreamIsNoRequest) {
  start();
  Line line(settings_.socket);
  ASSERT_TRUE(line.send("GET /follow HTTP/1.1\r\n\r\nGET /two HTTP/1.1\r\n\r\n"));
  ASSERT_FALSE(line.receive_until("\r\n\r\n").empty());
  ASSERT_TRUE(line.send("GET /three HTTP/1.1\r\n\r\n"));
  for (int i = 0; i < 100; ++i) on_loop([] {});
  EXPECT_EQ(requests_, 1);
}

TEST_F(HttpServerTest, AClientThatTalksOnDuringItsStreamIsCutOff) {
  start();
  Line line(settings_.socket);
  ASSERT_TRUE(line.send("GET /follow HTTP/1.1\r\n\r\n"));
  ASSERT_FALSE(line.receive_until("\r\n\r\n").empty());
  const std::string piece(4096, 'x');
  int sent = 0;
  while (sent < 100'000 && line.send(piece)) ++sent;
  EXPECT_LT(sent, 100'000);
  EXPECT_TRUE(line.was_closed());
}

TEST_F(HttpServerTest, SilenceEndsAConnectionButNoStream) {
  settings_.idle = Duration(200);
  start();
  // A machine that stands still may be silent before it has asked: then once more.
  std::optional<Line> follower;
  do {
    follower.emplace(settings_.socket);
    follower->send("GET /follow HTTP/1.1\r\n\r\n");
  } while (follower->receive_until("\r\n\r\n").empty());
  Line silent(settings_.socket);
  silent.send("GET /half HT");
  EXPECT_TRUE(silent.was_closed());
  Line later(settings_.socket);
  EXPECT_TRUE(later.was_closed());
  // The stream was silent for as long, and still gets what it waits for.
  on_loop([this] {
    EXPECT_TRUE(stream_->push("news"));
    stream_->finish();
  });
  EXPECT_EQ(follower->receive_until("news"), "news");
}

}  // namespace
}  // namespace sluice
