#include "wire/http_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "wire/socket_for_tests.h"

namespace sluice {
namespace {

// Takes one connection, waits for a whole head, says these pieces and closes.
class OneAnswer {
 public:
  explicit OneAnswer(std::vector<std::string> pieces) {
    listener_ = SocketForTests::open(path(), ::bind);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::thread([this, pieces = std::move(pieces)] {
      const int line = ::accept(listener_, nullptr, nullptr);
      char piece[4096];
      ssize_t got = 0;
      while (asked_.find("\r\n\r\n") == std::string::npos &&
             (got = ::recv(line, piece, sizeof piece, 0)) > 0)
        asked_.append(piece, static_cast<std::size_t>(got));
      for (const std::string& each : pieces) ::send(line, each.data(), each.size(), MSG_NOSIGNAL);
      ::close(line);
    });
  }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;
  ~OneAnswer() {
    if (thread_.joinable()) thread_.join();
    ::close(listener_);
  }
  std::string path() const { return place_.path(); }
  const std::string& asked() {
    thread_.join();
    return asked_;
  }

 private:
  SocketForTests place_;
  int listener_ = -1;
  std::string asked_;
  std::thread thread_;
};

Result<HttpResponse> answer_of(std::vector<std::string> pieces) {
  const OneAnswer server(std::move(pieces));
  auto client = HttpClient::connect(server.path());
  EXPECT_TRUE(client);
  return client->request("GET", "/v1/queue");
}

TEST(HttpClient, ReadsAnAnswerInPieces) {
  const auto answer = answer_of({"HTTP/1.1 4", "04 Not Found\r\nContent-TYPE:text/plain\r\n",
                                 "content-length: 6\r\n\r", "\nabc", "def"});
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->content_type, "text/plain");
  EXPECT_EQ(answer->body, "abcdef");
}

TEST(HttpClient, WithoutALengthTheEndOfTheConnectionIsTheEnd) {
  const auto answer = answer_of({"HTTP/1.1 200 OK\r\n\r\nabc", "def"});
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->body, "abcdef");
}

TEST(HttpClient, ABrokenAnswerIsAConnectionThatBroke) {
  const std::vector<std::vector<std::string>> broken{
      {},
      {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"},
      {"HTTP/1.1 200 OK\r\nContent-Length: six\r\n\r\nabcdef"},
      {"HTTP/1.1 200 OK\r\nContent-Length\r\n\r\nabcdef"},
      {"HTTP/1.1 OK\r\n\r\n"},
      {"220 mail.example.org ESMTP\r\n\r\n"},
      {std::string(100'000, 'x')}};
  for (const auto& pieces : broken) {
    const auto answer = answer_of(pieces);
    ASSERT_FALSE(answer) << (pieces.empty() ? "" : pieces.front());
    EXPECT_EQ(answer.error().kind, ErrorKind::kUnreachable);
    EXPECT_TRUE(answer.error().what.starts_with("the connection to the daemon broke: "));
  }
}

TEST(HttpClient, SaysWhatIsAskedAndHowLongItIs) {
  OneAnswer server({"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"});
  {
    auto client = HttpClient::connect(server.path());
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->request("POST", "/v1/jobs"));
  }
  EXPECT_EQ(server.asked(), "POST /v1/jobs HTTP/1.1\r\nHost: sluice\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpClient, AStreamIsHandedOnUntilItEndsOrNobodyWantsMore) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  for (const bool wants_all : {true, false}) {
    const OneAnswer server({head + "a", "b", "c"});
    auto client = HttpClient::connect(server.path());
    ASSERT_TRUE(client);
    std::string got;
    const auto done = client->stream("/v1/events", [&](std::string_view bytes) {
      got += bytes;
      return wants_all;
    });
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(got.substr(0, 1), "a");
    if (wants_all) {
      EXPECT_EQ(got, "abc");
    }
  }
  const OneAnswer server({"HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nwh", "y?"});
  auto client = HttpClient::connect(server.path());
  ASSERT_TRUE(client);
  const auto refused = client->stream("/v1/events", [](std::string_view) {
    ADD_FAILURE() << "an error is no stream";
    return true;
  });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(refused->body, "why?");
}

TEST(HttpClient, NobodyThereIsUnreachable) {
  const auto client = HttpClient::connect("/nonexistent/api.sock");
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, ErrorKind::kUnreachable);
  EXPECT_EQ(client.error().what, "no daemon answers there: No such file or directory");
  const auto longer = HttpClient::connect("/" + std::string(120, 'x'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().kind, ErrorKind::kUnreachable);
}

}  // namespace
}  // namespace sluice
