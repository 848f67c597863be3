/* Plays any game: one of the legal moves, at random. Make on_move cleverer.
 * More features, and the moves of the games as structs: arena_bot.hpp. */
#include "arena_bot.hpp"
#include <random>

using arena::json;

class Starter : public arena::Bot {
  public:
    Starter() {
        name = "starter-cpp";
        version = "1";
        wants = {"view", "legal"};
    }

    /* A match begins. All chance comes from its seed: so it can be played again. */
    void on_init(const json &init) override {
        chance.seed(init.at("seed").get<std::uint32_t>());
        seats = init.at("seats");
        view = init.at("view");
    }

    /* Your turn: choose one of the moves that the rules allow. */
    arena::Reply on_move(const json &call) override {
        view = call.at("view");
        /* No list: a one-seat game with no move left, or more moves than fit into a message. */
        if (!call.contains("legal") || call["legal"].empty())
            return seats == 1 ? arena::done() : arena::resign();
        const json &legal = call["legal"];
        return arena::play(legal[chance() % legal.size()]);
    }

    /* Shows the board as last seen: after an own move you must have changed it yourself. */
    std::vector<std::string> on_display(const json &) override { return view.at("board"); }

  private:
    std::mt19937 chance;
    int seats = 0;
    json view;
};

int main() { return arena::run(Starter()); }
