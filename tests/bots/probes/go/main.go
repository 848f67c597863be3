// A bot for tests of the Go kit: does at its turn what the field `view.do` says.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Probe does what it is told.
type Probe struct {
	Base
	init *Init
}

// OnInit remembers the call.
func (bot *Probe) OnInit(init *Init) {
	bot.init = init
	if init.Match == "storm" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGALRM)
		go func() {
			for {
				syscall.Kill(os.Getpid(), syscall.SIGALRM)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
}

// OnTerm prints the reason if it is told to.
func (bot *Probe) OnTerm(term *Term) {
	if bot.init.Match == "talk" {
		fmt.Println(term.Reason)
	}
}

// OnMove goes by the field.
func (bot *Probe) OnMove(call *MoveCall) Reply {
	switch call.View["do"] {
	case "play":
		return Play(call.Legal[0])
	case "typed pente":
		return Play(As[PenteMove](call.Legal[0]))
	case "typed matchsticks":
		return Play(As[MatchsticksMove](call.Legal[0]))
	case "typed chinese_checkers":
		return Play(As[ChineseCheckersMove](call.Legal[0]))
	case "typed down_n_out":
		return Play(As[DownNOutMove](call.Legal[0]))
	case "typed damspel":
		return Play(As[DamspelMove](call.Legal[0]))
	case "told":
		played := call.OpponentMoves[0]
		seed, clock := bot.init.Seed, bot.init.Time.Clock
		text := fmt.Sprintln(seed, clock, played.Seat, call.Ply, *call.LeftMs)
		return Play(played.Move).Note(strings.TrimSpace(text))
	case "claims":
		captures := [][]Point{{{0, 1}, {0, 2}}}
		return Play(PenteMove{V: 0, H: -4}).Claims(Fields{"victory": false, "captures": captures})
	case "all":
		return Play(call.Legal[0]).Claims(Fields{"victory": true}).Note("hé")
	case "remarks":
		reply := Play(PenteMove{}).Value(-7).Data(map[string]int{"depth": 3})
		return reply.Plan([]PenteMove{{V: 1, H: 2}})
	case "resign":
		return Resign()
	case "done":
		return Done()
	case "print":
		fmt.Print("thinking")
		return Resign()
	case "think":
		fmt.Println("!")
		gate, _ := os.Open("gate") // a pipe
		gate.Read(make([]byte, 1))
		return Resign()
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
	Run(&Probe{})
}
