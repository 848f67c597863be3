// A bot for tests of the C++ kit: does at its turn what the field `view.do` says.
#include "arena_bot.hpp"
#include <csignal>
#include <fstream>
#include <unistd.h>

using arena::json;

static arena::Reply typed(const std::string &game, const json &move) {
    if (game == "pente")
        return arena::play(move.get<arena::Pente>());
    if (game == "matchsticks")
        return arena::play(move.get<arena::Matchsticks>());
    if (game == "down_n_out")
        return arena::play(move.get<arena::DownNOut>());
    return arena::play(move.get<arena::Step>());
}

static void storm(int) {}

struct Probe : arena::Bot {
    json init;

    void on_init(const json &call) override {
        init = call;
        if (init.at("match") == "storm") {
            struct sigaction interrupt {}; // without SA_RESTART
            interrupt.sa_handler = storm;
            sigaction(SIGALRM, &interrupt, nullptr);
            ualarm(200, 200);
        }
    }

    void on_term(const json &term) override {
        if (init.at("match") == "talk")
            std::cout << term.at("reason").get<std::string>() << std::endl;
    }

    arena::Reply told(const json &call) {
        const json &played = call.at("opponent_moves").at(0);
        const auto clock = init.at("time").at("clock").get<std::string>();
        return arena::play(played.at("move"), nullptr,
                           init.at("seed").dump() + " " + clock + " " + played.at("seat").dump() +
                               " " + call.at("ply").dump() + " " + call.at("left_ms").dump());
    }

    arena::Reply on_move(const json &call) override {
        const auto what = call.at("view").at("do").get<std::string>();
        if (what == "told")
            return told(call);
        const json &move = call.at("legal").at(0);
        if (what == "resign")
            return arena::resign();
        if (what == "done")
            return arena::done();
        if (what == "all")
            return arena::play(move, {{"victory", true}}, "h\xc3\xa9");
        if (what == "remarks")
            return arena::play(arena::Pente{0, 0})
                .value(-7)
                .plan(std::vector<arena::Pente>{{1, 2}})
                .data({{"depth", 3}});
        if (what == "note")
            return arena::play(move, nullptr, std::string(1025, 'x'));
        if (what == "long")
            return arena::play({{"x", std::string(70000, 'x')}});
        if (what == "float")
            return arena::play({{"x", 1.5}});
        if (what == "huge")
            return arena::play({{"x", (std::int64_t{1} << 53) + 1}});
        if (what == "empty")
            return arena::play(json::object());
        if (what == "deep")
            return arena::play(
                {{"x", json::parse(std::string(15, '[') + "1" + std::string(15, ']'))}});
        if (what == "bytes")
            return arena::play({{"x", "\xe9"}});
        if (what == "fail")
            throw std::runtime_error("no idea");
        if (what == "throw 3")
            throw 3;
        if (what == "print")
            std::cout << "thinking";
        if (what == "think") {
            std::cout << "!\n";
            std::ifstream("gate").get(); // a pipe
        }
        return what.rfind("typed ", 0) == 0 ? typed(what.substr(6), move) : arena::play(move);
    }
};

int main() { return arena::run(Probe()); }
