// The Go kit: write a type with OnMove, embed Base in it, and hand it to Run.
//
//	type First struct{ Base }
//
//	func (*First) OnMove(call *MoveCall) Reply { return Play(call.Legal[0]) }
//
//	func main() { Run(&First{Base{Wants: []string{"legal"}}}) }
//
// It goes beside your main.go, with arena_wire.go, go.mod and go.sum. The fields of calls, moves,
// claims and views are in protocol/SPEC.md. What is wrong, at either end, ends the bot with exit
// code 1 and a line on stderr that names the field.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"unicode/utf8"
)

// Limits of protocol 1.
const (
	MaxCallBytes  = 1024 * 1024
	MaxReplyBytes = 64 * 1024
	MaxDepth      = 16 // maps and lists in one another
	MaxInteger    = 1 << 53
	MaxNote       = 1024 // characters
)

// Bot plays match after match. Embed Base, write OnMove and any other methods you need.
type Bot interface {
	// OnInit begins a match; View is the position after History.
	OnInit(init *Init)
	// OnMove returns Play(move), Resign() or Done(). OpponentMoves has what is new, oldest first.
	OnMove(call *MoveCall) Reply
	// OnDisplay returns the board as it is now, a string a row.
	OnDisplay() []string
	// OnTerm ends a match. After the last one Run returns.
	OnTerm(term *Term)

	about() Base
}

// Base has the bot's name and answers the calls without a method of the bot.
type Base struct {
	Name, Version string
	Wants         []string // of "view" and "legal": to be in each MoveCall
}

// OnInit does nothing.
func (Base) OnInit(*Init) {}

// OnDisplay ends the bot: it has no board to show.
func (Base) OnDisplay() []string {
	panic(wireError("this game asks for the board: the bot needs OnDisplay"))
}

// OnTerm does nothing.
func (Base) OnTerm(*Term) {}

func (base Base) about() Base { return base }

// Fields is a map on the wire: a move, claims, a view. Its values are nil, bool, int64, string, []any
// and Fields; As makes typed ones of them.
type Fields = map[string]any

// Init is the call that begins a match.
type Init struct {
	Game    string       `msgpack:"game"`
	Options Fields       `msgpack:"options"`
	Match   string       `msgpack:"match"`
	Seat    int          `msgpack:"seat"`
	Seats   int          `msgpack:"seats"`
	Players []string     `msgpack:"players"`
	Seed    uint32       `msgpack:"seed"`
	Time    TimeControl  `msgpack:"time"`
	History []PlayedMove `msgpack:"history"`
	View    Fields       `msgpack:"view"`
}

// TimeControl has the limit of each call; BankMs is nil without a bank. After each move IncrementMs
// is added to what is left of it, and after every BankMoves moves the bank; nil is nothing and never.
type TimeControl struct {
	Clock       string `msgpack:"clock"`
	InitMs      int64  `msgpack:"init_ms"`
	PerMoveMs   int64  `msgpack:"per_move_ms"`
	BankMs      *int64 `msgpack:"bank_ms"`
	IncrementMs *int64 `msgpack:"increment_ms"`
	BankMoves   *int64 `msgpack:"bank_moves"`
	DisplayMs   int64  `msgpack:"display_ms"`
	TermMs      int64  `msgpack:"term_ms"`
	GraceMs     int64  `msgpack:"grace_ms"`
	Ponder      bool   `msgpack:"ponder"`
}

// PlayedMove is a move and its seat. In some games it is a draw (Chance), and then Seat says nothing.
// Move is nil where the game hides it, and may lack fields where the game hides them.
type PlayedMove struct {
	Seat   int    `msgpack:"seat,omitempty"`
	Chance bool   `msgpack:"chance,omitempty"`
	Move   Fields `msgpack:"move,omitempty"`
}

// MoveCall asks for a move. LeftMs is nil where there is no bank; View and Legal are there if the bot
// wants them, Legal not if LegalOmitted: the list would be too long.
type MoveCall struct {
	Ply           int          `msgpack:"ply"`
	OpponentMoves []PlayedMove `msgpack:"opponent_moves"`
	LeftMs        *int64       `msgpack:"left_ms"`
	View          Fields       `msgpack:"view,omitempty"`
	Legal         []Fields     `msgpack:"legal,omitempty"`
	LegalOmitted  bool         `msgpack:"legal_omitted,omitempty"`
}

// Term is the call that ends a match.
type Term struct {
	OpponentMoves []PlayedMove `msgpack:"opponent_moves"`
	Termination   string       `msgpack:"termination"`
	Scores        []string     `msgpack:"scores"`
	Reason        string       `msgpack:"reason"`
	Offenders     []int        `msgpack:"offenders"`
	Last          bool         `msgpack:"last"`
}

// Point is a row and a column.
type Point [2]int

// PenteMove is a point, counted from the centre.
type PenteMove struct {
	V int `msgpack:"v"`
	H int `msgpack:"h"`
}

// MatchsticksMove is a run of sticks in a row or a column.
type MatchsticksMove struct {
	Row   bool `msgpack:"row"`
	Line  int  `msgpack:"line"`
	Start int  `msgpack:"start"`
	End   int  `msgpack:"end"`
}

// ChineseCheckersMove is a step or a chain of jumps.
type ChineseCheckersMove struct {
	From Point `msgpack:"from"`
	To   Point `msgpack:"to"`
}

// DownNOutMove is a cell of the group to remove.
type DownNOutMove struct {
	Row int `msgpack:"row"`
	Col int `msgpack:"col"`
}

// DamspelMove is a slide or a jump.
type DamspelMove struct {
	From Point `msgpack:"from"`
	To   Point `msgpack:"to"`
}

// As makes a typed value of one that came in a call: As[PenteMove](played.Move), or
// As[[]string](init.View["board"]). Where it does not fit, it ends the bot and names the field.
func As[T any](value any) T {
	var typed T
	if err := wireFill(reflect.ValueOf(&typed).Elem(), value); err != nil {
		panic(wireError(fmt.Sprintf("As[%T]%v", typed, err)))
	}
	return typed
}

// Reply is the result of OnMove: Play, Resign or Done.
type Reply struct{ fields Fields }

// Play plays a move: one of the types above, or Fields, as one of Legal.
func Play(move any) Reply { return Reply{Fields{"move": move}} }

// Resign gives the match up.
func Resign() Reply { return Reply{Fields{"resign": true}} }

// Done ends a game of one seat: nothing is left to play, the points stand.
func Done() Reply { return Reply{Fields{"done": true}} }

// Claims adds claims about the move.
func (reply Reply) Claims(claims Fields) Reply { return reply.with("claims", claims) }

// Note adds a text for the record of the match.
func (reply Reply) Note(text string) Reply {
	if length := utf8.RuneCountInString(text); length > MaxNote {
		wireFail("play.note: %d characters; the limit is %d", length, MaxNote)
	}
	return reply.with("note", text)
}

// Value adds the value of the position for this bot, -1000 to 1000; shown with the move.
func (reply Reply) Value(value int) Reply { return reply.with("value", value) }

// Plan adds the next moves that the bot expects, a slice of them in order; shown with the move.
func (reply Reply) Plan(moves any) Reply { return reply.with("plan", moves) }

// Data adds figures by name, like the depth of a search; shown with the move.
func (reply Reply) Data(figures map[string]int) Reply { return reply.with("data", figures) }

func (reply Reply) with(field string, value any) Reply {
	more := Fields{}
	for name, old := range reply.fields {
		more[name] = old
	}
	more[field] = value
	return Reply{more}
}

// Run greets the referee and answers its calls until the last match is over. When something goes
// wrong in the bot, on the wire or with the connection, it says so on stderr and exits with 1.
func Run(bot Bot) {
	link := &wireLink{}
	defer func() {
		if fault := recover(); fault != nil {
			if _, ours := fault.(wireError); ours {
				fmt.Fprintf(os.Stderr, "arena_bot: %s%v\n", link.open, fault)
			} else {
				fmt.Fprintf(os.Stderr, "arena_bot: %spanic: %v\n%s", link.open, fault, debug.Stack())
			}
			os.Exit(1)
		}
	}()
	endpoint, token := os.Getenv("ARENA_ENDPOINT"), os.Getenv("ARENA_TOKEN")
	if endpoint == "" || token == "" {
		wireFail("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so")
	}
	link.dial(endpoint)
	hello := Fields{"type": "hello", "protocol": 1, "token": token, "language": "go"}
	base := bot.about()
	for field, text := range map[string]string{"name": base.Name, "version": base.Version} {
		if text != "" {
			hello[field] = text
		}
	}
	if len(base.Wants) > 0 {
		hello["wants"] = base.Wants
	}
	link.send(hello)
	for link.serve(bot) {
	}
	link.conn.Close()
}

// serve answers one call, if it is one to be answered; false after the last.
func (link *wireLink) serve(bot Bot) bool {
	call, err := wireRead(link.message())
	wireCheck("call", err)
	fields, _ := call.(Fields)
	kind, isText := fields["type"].(string)
	if !isText {
		wireFail("a call is a map with a type, not %.100s", fmt.Sprint(call))
	}
	answers := map[string]string{
		"init": "ready", "move": "play", "display": "picture", "term": "bye", "ping": "pong"}
	if kind == "error" {
		var notice struct {
			Code   string `msgpack:"code"`
			Detail string `msgpack:"detail"`
		}
		wireCheck(kind, wireFill(reflect.ValueOf(&notice).Elem(), fields))
		fmt.Fprintf(os.Stderr, "arena_bot: error: %s: %s\n", notice.Code, notice.Detail)
	}
	if answers[kind] == "" {
		return true
	}
	var open struct {
		ID int64 `msgpack:"id"`
	}
	wireCheck(kind, wireFill(reflect.ValueOf(&open).Elem(), fields))
	link.open = fmt.Sprintf("%s %d: ", kind, open.ID)
	reply, isLast := wireAnswer(bot, kind, fields)
	reply["type"], reply["id"] = answers[kind], open.ID
	link.send(reply)
	link.open = ""
	return !isLast
}

func wireAnswer(bot Bot, kind string, call Fields) (reply Fields, isLast bool) {
	fill := func(typed any) { wireCheck(kind, wireFill(reflect.ValueOf(typed).Elem(), call)) }
	reply = Fields{}
	switch kind {
	case "init":
		var init Init
		fill(&init)
		bot.OnInit(&init)
	case "move":
		var move MoveCall
		fill(&move)
		said := bot.OnMove(&move)
		if said.fields == nil {
			wireFail("OnMove must return Play(move), Resign() or Done(), not an empty Reply")
		}
		reply = said.with("type", nil).fields
	case "display":
		reply["board"] = bot.OnDisplay()
	case "term":
		var term Term
		fill(&term)
		bot.OnTerm(&term)
		isLast = term.Last
	}
	return reply, isLast
}
