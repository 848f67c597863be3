// Does what `view.do` of a call tells it, for the tests of the C++ kit.
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
    void on_init(const json &init) override {
        if (init.at("match") == "storm") {
            struct sigaction interrupt {}; // without SA_RESTART
            interrupt.sa_handler = storm;
            sigaction(SIGALRM, &interrupt, nullptr);
            ualarm(200, 200);
        }
    }

    arena::Reply on_move(const json &call) override {
        const auto what = call.at("view").at("do").get<std::string>();
        const json &move = call.at("legal").at(0);
        if (what == "resign")
            return arena::resign();
        if (what == "done")
            return arena::done();
        if (what == "all")
            return arena::play(move, {{"victory", true}}, "h\xc3\xa9");
        if (what == "long note")
            return arena::play(move, nullptr, std::string(1025, 'x'));
        if (what == "large")
            return arena::play({{"x", std::string(70000, 'x')}});
        if (what == "float")
            return arena::play({{"x", 1.5}});
        if (what == "2^53 + 1")
            return arena::play({{"x", (std::int64_t{1} << 53) + 1}});
        if (what == "empty map")
            return arena::play(json::object());
        if (what == "deep")
            return arena::play(
                {{"x", json::parse(std::string(15, '[') + "1" + std::string(15, ']'))}});
        if (what == "latin-1")
            return arena::play({{"x", "\xe9"}});
        if (what == "fail")
            throw std::runtime_error("no idea");
        if (what == "throw 3")
            throw 3;
        if (what == "print")
            std::cout << "thinking";
        if (what == "think") {
            std::cout << "!" << std::flush;
            std::ifstream("gate").get(); // a pipe
        }
        return what.rfind("typed ", 0) == 0 ? typed(what.substr(6), move) : arena::play(move);
    }
};

int main() { return arena::run(Probe()); }
