# Plays any game: one of the legal moves, at random. Make the rule for "move" cleverer.
# Each line read is a call, each line written the reply to it, both JSON; what stands in
# them: protocol/SPEC.md. The values of a call are kept as they are written, text in quotes.

BEGIN {
    say("{\"type\":\"hello\",\"name\":\"starter-awk\",\"version\":\"1\"," \
        "\"language\":\"awk\",\"wants\":[\"view\",\"legal\"]}")
}

{ parts($0, call) }

# A match begins: init tells the game, its options, your seat and the first position.
call["type"] == "\"init\"" {
    srand(call["seed"] % 2147483647) # an awk may take no more
    seats = call["seats"]
    look(call["view"])
    reply("ready", "")
}

# Your turn: opponent_moves has the moves since your last call, legal your legal moves.
call["type"] == "\"move\"" {
    look(call["view"])
    if (count = parts(call["legal"], legal))
        reply("play", ",\"move\":" legal[int(rand() * count)])
    else # no legal move in a game for one seat, or too many for one message
        reply("play", seats == 1 ? ",\"done\":true" : ",\"resign\":true")
}

# Shows the board as last seen: after an own move you must have changed it yourself.
call["type"] == "\"display\"" { reply("picture", ",\"board\":" board) }
call["type"] == "\"ping\"" { reply("pong", "") }
call["type"] == "\"term\"" { reply("bye", "") }

function look(view) { if (parts(view, seen)) board = seen["board"] }
function reply(type, more) { say("{\"type\":\"" type "\",\"id\":" call["id"] more "}") }
function say(line) { print line; fflush() }

# Puts the values of an object or list into `found`, by key or from 0; returns how many.
# The lines that come have no blanks outside of texts.
function parts(json, found,    at, begin, c, count, depth, is_text, key) {
    split("", found)
    if (json !~ /^[[{]./) return 0
    key = 0
    begin = 2
    for (at = 2; at <= length(json); at++) {
        c = substr(json, at, 1)
        if (is_text) { if (c == "\\") at++; else if (c == "\"") is_text = 0 }
        else if (c == "\"") is_text = 1
        else if (c == "[" || c == "{") depth++
        else if (c == ":" && !depth) { key = substr(json, begin + 1, at - begin - 2); begin = at + 1 }
        else if (depth && (c == "]" || c == "}")) depth--
        else if (!depth && at > begin && (c == "," || c == "]" || c == "}")) {
            found[key] = substr(json, begin, at - begin)
            key = ++count
            begin = at + 1
        }
    }
    return count
}
