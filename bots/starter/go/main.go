// Plays any game: one of the legal moves, at random. Make OnMove cleverer.
// What can be read from a call and played: arena_bot.go.
package main

import "math/rand"

// Starter keeps its state between calls.
type Starter struct {
	Base
	random *rand.Rand
	seats  int
	view   Fields
}

// OnInit begins a match; all chance comes from its seed, so that it can be played again.
func (bot *Starter) OnInit(init *Init) {
	bot.random = rand.New(rand.NewSource(int64(init.Seed)))
	bot.seats = init.Seats
	bot.view = init.View
}

// OnMove is your turn: OpponentMoves has the moves since your last, Legal your legal moves.
func (bot *Starter) OnMove(call *MoveCall) Reply {
	bot.view = call.View
	if len(call.Legal) > 0 {
		return Play(call.Legal[bot.random.Intn(len(call.Legal))])
	}
	// No list: a game of one seat with no move left, or more moves than fit into a message.
	if bot.seats == 1 {
		return Done()
	}
	return Resign()
}

// OnDisplay shows the board as last seen: after an own move you must have changed it yourself.
func (bot *Starter) OnDisplay() []string {
	return As[[]string](bot.view["board"])
}

func main() {
	Run(&Starter{Base: Base{Name: "starter-go", Version: "1", Wants: []string{"view", "legal"}}})
}
