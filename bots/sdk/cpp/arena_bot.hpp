/* The C++ kit: derive a bot from arena::Bot, answer its calls, and run it.
 *
 *     struct First : arena::Bot {
 *         First() { wants = {"legal"}; }
 *         arena::Reply on_move(const arena::json &call) override {
 *             return arena::play(call.at("legal").at(0));
 *         }
 *     };
 *     int main() { return arena::run(First()); }
 *
 * It needs this file, C++17, and Debian's cppzmq-dev and nlohmann-json3-dev; link with -lzmq.
 * Calls, moves, claims and views are JSON values with the fields of protocol/SPEC.md; the structs
 * below are the moves of the games. What you print is kept with the match; an exception ends the
 * bot with its message on standard error. */
#ifndef ARENA_BOT_HPP
#define ARENA_BOT_HPP

#if !__has_include(<zmq.hpp>) || !__has_include(<nlohmann/json.hpp>)
#error "the C++ kit needs two libraries: apt-get install cppzmq-dev nlohmann-json3-dev"
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

namespace arena {

using json = nlohmann::json;

constexpr int protocol = 1;
constexpr std::size_t max_call_bytes = 1024 * 1024, max_reply_bytes = 64 * 1024;
constexpr std::size_t max_note = 1024; /* characters */
constexpr std::size_t max_depth = 16;
constexpr std::int64_t max_integer = std::int64_t{1} << 53;

/* An error in a message or of the connection, not in the bot's own code. */
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* The result of on_move, made by play(), resign() or done(). Optional remarks are shown with the
 * move: the value of the position for this bot (-1000 to 1000), a plan (the expected next moves: a
 * vector or JSON), and data (figures by name). */
struct Reply {
    json fields;

    Reply value(int for_me) const { return with("value", for_me); }
    Reply plan(const json &moves) const { return with("plan", moves); }
    Reply data(const json &figures) const { return with("data", figures); }

  private:
    Reply with(const char *name, const json &said) const {
        Reply reply = *this;
        reply.fields[name] = said;
        return reply;
    }
};

/* A program that plays match after match. Write on_move and any other methods you need. */
class Bot {
  public:
    std::string name, version;
    std::vector<std::string> wants; /* of "view" and "legal": to be in the calls of on_move */

    virtual ~Bot() = default;

    /* A match begins: game, options, seat, seed, history, view (after it), ... */
    virtual void on_init(const json &init) { (void)init; }

    /* Your turn. News is in opponent_moves, oldest first. */
    virtual Reply on_move(const json &call) = 0;

    /* Returns the present board, one string per row. */
    virtual std::vector<std::string> on_display(const json &call) {
        (void)call;
        throw std::logic_error("this game asks for the board: the bot must have on_display");
    }

    /* A match ends: termination, scores, ... After the last one the process ends by itself. */
    virtual void on_term(const json &term) { (void)term; }
};

/* ---- Reading fields */

enum class Type { integer, text, boolean, list, map };

inline bool is_a(Type type, const json &value) {
    const bool is[] = {value.is_number_integer(), value.is_string(), value.is_boolean(),
                       value.is_array(), value.is_object()};
    return is[static_cast<int>(type)];
}

inline std::string shown(const json &value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 100);
}

/* Returns a field of this type; otherwise throws an Error with the field and the fault. */
inline const json &need(const json &map, const std::string &name, Type type) {
    static const char *const names[] = {"integer", "text", "bool", "list", "map"};
    const bool is_there = map.is_object() && map.contains(name);
    if (is_there && is_a(type, map[name]))
        return map[name];
    const bool is_call = map.is_object() && map.contains("type") && map["type"].is_string();
    throw Error((is_call ? map["type"].get<std::string>() : "move") + "." + name + ": " +
                names[static_cast<int>(type)] + " expected, not " +
                (is_there ? shown(map[name]) : "missing"));
}

inline int need_int(const json &map, const std::string &name) {
    const auto number = need(map, name, Type::integer).get<std::int64_t>();
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
        throw Error("move." + name + ": " + std::to_string(number) + " is too large");
    return static_cast<int>(number);
}

/* ---- The moves of the games: `auto move = legal[0].get<arena::Pente>()`, `play(Pente{0, 4})` */

struct Pente {
    int v = 0, h = 0;
};

struct Matchsticks {
    bool row = false;
    int line = 0, start = 0, end = 0;
};

struct DownNOut {
    int row = 0, col = 0;
};

/* A point or square, on the wire [row, col]. */
struct Cell {
    int row = 0, col = 0;
};

/* Of Chinese Checkers and of Damspel. */
struct Step {
    Cell from, to;
};

inline void to_json(json &to, const Pente &move) { to = {{"v", move.v}, {"h", move.h}}; }
inline void to_json(json &to, const DownNOut &move) { to = {{"row", move.row}, {"col", move.col}}; }
inline void to_json(json &to, const Cell &cell) { to = json::array({cell.row, cell.col}); }
inline void to_json(json &to, const Step &move) { to = {{"from", move.from}, {"to", move.to}}; }
inline void to_json(json &to, const Matchsticks &move) {
    to = {{"row", move.row}, {"line", move.line}, {"start", move.start}, {"end", move.end}};
}

inline void from_json(const json &from, Pente &move) {
    move = {need_int(from, "v"), need_int(from, "h")};
}
inline void from_json(const json &from, DownNOut &move) {
    move = {need_int(from, "row"), need_int(from, "col")};
}
inline Cell need_cell(const json &map, const std::string &name) {
    const json &cell = need(map, name, Type::list);
    if (cell.size() != 2)
        throw Error("move." + name + ": [row, col] expected, not " + shown(cell));
    const auto number = [&](int i) { return need_int(json::object({{name, cell[i]}}), name); };
    return {number(0), number(1)};
}
inline void from_json(const json &from, Cell &cell) {
    cell = need_cell(json::object({{"cell", from}}), "cell");
}
inline void from_json(const json &from, Step &move) {
    move = {need_cell(from, "from"), need_cell(from, "to")};
}
inline void from_json(const json &from, Matchsticks &move) {
    move = {need(from, "row", Type::boolean).get<bool>(), need_int(from, "line"),
            need_int(from, "start"), need_int(from, "end")};
}

/* ---- Answers */

/* Plays a move, one of the structs above or JSON. Claims state its effect, see SPEC.md 14; the note
 * is kept with the move. */
inline Reply play(const json &move, const json &claims = nullptr, const std::string &note = "") {
    Reply reply{{{"move", move}}};
    if (!claims.is_null())
        reply.fields["claims"] = claims;
    const auto is_first = [](char byte) { return (static_cast<unsigned char>(byte) >> 6) != 2; };
    const auto characters = std::count_if(note.begin(), note.end(), is_first);
    if (static_cast<std::size_t>(characters) > max_note)
        throw Error("play.note: " + std::to_string(characters) + " characters; the limit is " +
                    std::to_string(max_note));
    if (!note.empty())
        reply.fields["note"] = note;
    return reply;
}

/* Resigns the match. */
inline Reply resign() { return {{{"resign", true}}}; }

/* Ends a one-seat game: nothing is left to play, the points stand. */
inline Reply done() { return {{{"done", true}}}; }

/* ---- The rest is private to the kit. */
namespace wire {

/* Repeats a call interrupted by a signal. */
template <typename Action> auto uninterrupted(Action act) {
    for (;;) {
        try {
            return act();
        } catch (const zmq::error_t &error) {
            if (error.num() != EINTR)
                throw;
        }
    }
}

/* Builds a value from msgpack, and refuses forms forbidden by section 4 of SPEC.md. */
class Reader : public nlohmann::json_sax<json> {
  public:
    json root;
    std::string fault; /* reason of the refusal */

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(std::int64_t value) override {
        return value < -max_integer ? refuse("an integer below -2^53") : add(value);
    }
    bool number_unsigned(std::uint64_t value) override {
        return value > max_integer ? refuse("an integer above 2^53") : add(value);
    }
    bool number_float(double, const std::string &) override { return refuse("a float"); }
    bool string(std::string &value) override { return add(std::move(value)); }
    bool binary(json::binary_t &) override { return refuse("binary data or an extension"); }
    bool start_array(std::size_t) override { return add(json::array()) && open(); }
    bool end_array() override { return close(); }
    bool start_object(std::size_t size) override {
        return size == 0 ? refuse("an empty map") : add(json::object()) && open();
    }
    bool key(std::string &name) override {
        name_ = name;
        return open_.back()->contains(name) ? refuse("\"" + name + "\" twice") : true;
    }
    bool end_object() override { return close(); }
    bool parse_error(std::size_t, const std::string &, const json::exception &error) override {
        return refuse(error.what());
    }

  private:
    std::vector<json *> open_; /* the maps and lists around the next value */
    std::string name_;
    json *last_ = nullptr;

    bool refuse(const std::string &why) {
        fault = why;
        return false;
    }
    bool add(json value) {
        if (open_.size() > max_depth)
            return refuse("more than 16 maps and lists in each other");
        if (open_.empty())
            last_ = &(root = std::move(value));
        else if (open_.back()->is_array())
            last_ = &open_.back()->emplace_back(std::move(value));
        else
            last_ = &((*open_.back())[name_] = std::move(value));
        return true;
    }
    bool open() {
        open_.push_back(last_);
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
};

inline json decode(const std::uint8_t *data, std::size_t size) {
    Reader reader;
    if (!json::sax_parse(data, data + size, &reader, json::input_format_t::msgpack))
        throw Error(reader.fault);
    return std::move(reader.root);
}

/* A call: its reply and its guaranteed fields. */
struct Call {
    const char *reply;
    std::map<Type, std::vector<const char *>> fields;
};

inline const std::map<std::string, Call> &calls() {
    static const std::map<std::string, Call> known = {
        {"init",
         {"ready",
          {{Type::integer, {"id", "seat", "seats", "seed"}},
           {Type::text, {"game", "match"}},
           {Type::map, {"options", "time", "view"}},
           {Type::list, {"players", "history"}}}}},
        {"move", {"play", {{Type::integer, {"id", "ply"}}, {Type::list, {"opponent_moves"}}}}},
        {"display", {"picture", {{Type::integer, {"id"}}}}},
        {"ping", {"pong", {{Type::integer, {"id"}}}}},
        {"term",
         {"bye",
          {{Type::integer, {"id"}},
           {Type::list, {"opponent_moves", "scores"}},
           {Type::boolean, {"last"}}}}},
        {"error", {nullptr, {{Type::text, {"code", "detail"}}}}},
    };
    return known;
}

inline json said(Bot &bot, const std::string &kind, const json &call) {
    json reply = json::object();
    if (kind == "move")
        reply = bot.on_move(call).fields;
    else if (kind == "display")
        reply["board"] = bot.on_display(call);
    else if (kind == "init")
        bot.on_init(call);
    else if (kind == "term")
        bot.on_term(call);
    return reply;
}

inline json answer(Bot &bot, const std::string &kind, const json &call) {
    try {
        json reply = said(bot, kind, call);
        reply["type"] = calls().at(kind).reply;
        reply["id"] = call.at("id");
        return reply;
    } catch (const Error &) {
        throw;
    } catch (const std::exception &error) {
        throw Error(kind + ": the bot threw: " + error.what());
    } catch (...) {
        throw Error(kind + ": the bot threw a value that is not a std::exception");
    }
}

/* The connection to the referee. */
class Link {
  public:
    explicit Link(const std::string &endpoint)
        : socket_(context_, zmq::socket_type::dealer), losses_(context_, zmq::socket_type::pair) {
        const char *const watch = "inproc://arena-losses";
        const int events = ZMQ_EVENT_CLOSED | ZMQ_EVENT_DISCONNECTED;
        if (zmq_socket_monitor(socket_.handle(), watch, events) != 0)
            throw zmq::error_t();
        losses_.connect(watch);
        losses_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::linger, 0);
        socket_.set(zmq::sockopt::rcvtimeo, look_ms);
        socket_.set(zmq::sockopt::reconnect_ivl, -1); /* a referee that is gone is gone */
        try {
            socket_.connect(endpoint);
        } catch (const zmq::error_t &error) {
            throw Error("ARENA_ENDPOINT: " + endpoint + ": " + error.what());
        }
    }

    void send(const json &reply) {
        const std::string kind = reply.at("type").get<std::string>();
        const auto payload = json::to_msgpack(reply);
        if (payload.size() > max_reply_bytes)
            throw Error(kind + ": " + std::to_string(payload.size()) + " bytes; the limit is " +
                        std::to_string(max_reply_bytes));
        try {
            decode(payload.data(), payload.size());
            (void)reply.dump(); /* throws at text that is not UTF-8 */
        } catch (const std::exception &error) {
            throw Error(kind + ": cannot be sent: " + error.what());
        }
        /* The buffer always has room while the referee is connected. */
        const auto sent = uninterrupted(
            [&] { return socket_.send(zmq::buffer(payload), zmq::send_flags::dontwait); });
        if (!sent)
            throw Error(closed);
    }

    json receive() {
        zmq::message_t message;
        while (!uninterrupted([&] { return socket_.recv(message); }))
            if (is_lost())
                throw Error(closed);
        if (message.more())
            throw Error("a call of several frames");
        if (message.size() > max_call_bytes)
            throw Error("a call of " + std::to_string(message.size()) + " bytes; the limit is " +
                        std::to_string(max_call_bytes));
        return checked(message);
    }

    /* Waits until the last reply has left. */
    void close() {
        socket_.set(zmq::sockopt::linger, linger_ms);
        losses_.close();
        socket_.close();
        context_.close();
    }

  private:
    static constexpr int look_ms = 250;    /* interval of looks for the referee */
    static constexpr int linger_ms = 2000; /* how long the last reply may take to leave */
    static constexpr const char *closed = "the connection to the referee is closed";

    zmq::context_t context_;
    zmq::socket_t socket_, losses_;

    bool is_lost() {
        zmq::message_t event;
        return uninterrupted([&] { return losses_.recv(event, zmq::recv_flags::dontwait); })
            .has_value();
    }

    static json checked(const zmq::message_t &message) {
        json call;
        try {
            call = decode(message.data<std::uint8_t>(), message.size());
        } catch (const Error &error) {
            throw Error(std::string("an invalid call: ") + error.what());
        }
        if (!call.is_object() || !call.contains("type") || !call["type"].is_string())
            throw Error("a call is a map with a type, not " + shown(call));
        const auto known = calls().find(call["type"].get<std::string>());
        if (known != calls().end())
            for (const auto &[type, names] : known->second.fields)
                for (const char *const name : names)
                    need(call, name, type);
        return call;
    }
};

inline void serve(Bot &bot) {
    const char *const endpoint = std::getenv("ARENA_ENDPOINT"), *token = std::getenv("ARENA_TOKEN");
    if (endpoint == nullptr || token == nullptr)
        throw Error("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so");
    Link link(endpoint);
    json hello = {{"type", "hello"}, {"protocol", protocol}, {"token", token}, {"language", "cpp"}};
    if (!bot.name.empty())
        hello["name"] = bot.name;
    if (!bot.version.empty())
        hello["version"] = bot.version;
    if (!bot.wants.empty())
        hello["wants"] = bot.wants;
    link.send(hello);
    for (bool is_over = false; !is_over;) {
        const json call = link.receive();
        const auto kind = call.at("type").get<std::string>();
        if (kind == "error") {
            std::cerr << "arena_bot: error: " << call.at("code").get<std::string>() << ": "
                      << call.at("detail").get<std::string>() << std::endl;
        } else if (calls().count(kind) != 0) {
            link.send(answer(bot, kind, call));
            is_over = kind == "term" && call.at("last").get<bool>();
        }
    }
    link.close();
}

} // namespace wire

/* Sends the hello and answers all calls. Returns the exit code for main: 0 after the last match; 1,
 * with the reason on standard error, after an exception of the bot, a closed connection or an
 * invalid call. */
inline int run(Bot &bot) {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); // a killed bot loses no printed line
    try {
        wire::serve(bot);
        return 0;
    } catch (const std::exception &error) {
        std::cout.flush();
        std::cerr << "arena_bot: " << error.what() << std::endl;
    }
    return 1;
}

inline int run(Bot &&bot) { return run(bot); }

} // namespace arena

#endif
