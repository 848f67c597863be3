// A bot for tests of the Go kit: what it does at its turn is said on the command line.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Probe does what its argument says.
type Probe struct {
	Base
	init *Init
}

// OnInit remembers the call.
func (bot *Probe) OnInit(init *Init) { bot.init = init }

// OnMove goes by the argument.
func (bot *Probe) OnMove(call *MoveCall) Reply {
	switch os.Args[1] {
	case "pente":
		return Play(As[PenteMove](call.Legal[0]))
	case "matchsticks":
		return Play(As[MatchsticksMove](call.Legal[0]))
	case "chinese_checkers":
		return Play(As[ChineseCheckersMove](call.Legal[0]))
	case "down_n_out":
		return Play(As[DownNOutMove](call.Legal[0]))
	case "damspel":
		return Play(As[DamspelMove](call.Legal[0]))
	case "told":
		played := call.OpponentMoves[0]
		seed, clock := bot.init.Seed, bot.init.Time.Clock
		text := fmt.Sprintln(seed, clock, played.Seat, call.Ply, *call.LeftMs)
		return Play(played.Move).Note(strings.TrimSpace(text))
	case "claims":
		captures := [][]Point{{{0, 1}, {0, 2}}}
		return Play(PenteMove{V: 0, H: -4}).Claims(Fields{"victory": false, "captures": captures})
	case "resign":
		return Resign()
	case "done":
		return Done()
	case "long":
		return Play(Fields{"v": strings.Repeat("x", 70000)})
	case "float":
		return Play(Fields{"from": []any{1, 0.5}})
	case "huge":
		return Play(PenteMove{V: MaxInteger + 1})
	case "bytes":
		return Play(Fields{"v": "\xff"})
	case "empty":
		return Play(Fields{})
	case "nil":
		return Play(nil)
	case "note":
		return Resign().Note(strings.Repeat("é", MaxNote+1))
	case "panic":
		return Play(call.Legal[len(call.Legal)])
	}
	return Reply{}
}

func main() {
	if os.Args[1] == "signals" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGALRM)
	}
	Run(&Probe{})
}
