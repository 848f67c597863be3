# frozen_string_literal: true

# A bot for tests of the Ruby kit: does at its turn what the field `view.do` says.

require_relative "arena_bot"

# Makes the mistake that the match or the call names.
class Probe < Arena::Bot
  ANSWERS = {
    "play" => ->(bot, choice) { bot.play(choice) },
    "resign" => ->(bot, _) { bot.resign },
    "done" => ->(bot, _) { bot.done },
    "all" => ->(bot, choice) { bot.play(choice, claims: { "victory" => true }, note: "h\u00e9") },
    "remarks" => lambda { |bot, _|
      bot.play({ v: 0, h: 0 }, value: -7, plan: [{ v: 1, h: 2 }], data: { depth: 3 })
    },
    "override" => ->(bot, choice) { bot.play(choice).merge("id" => 77, "type" => "bye") },
    "numbers" => ->(bot, _) { bot.play({ v: [2**53, -(2**53), 2**32, 128, -33, -1, 0] }) },
    "nothing" => ->(_, _) {},
    "bare" => ->(_, choice) { choice },
    "long" => ->(bot, _) { bot.play({ x: "x" * 70_000 }) },
    "float" => ->(bot, _) { bot.play({ x: [1, 0.5] }) },
    "huge" => ->(bot, _) { bot.play({ x: 2**53 + 1 }) },
    "empty" => ->(bot, _) { bot.play({}) },
    "bytes" => ->(bot, _) { bot.play({ x: "\xFF" }) },
    "note" => ->(bot, _) { bot.play({ x: 1 }, note: "x" * (Arena::MAX_NOTE + 1)) },
    "key" => ->(_, choice) { choice.fetch("nothing") },
    "zero" => ->(_, _) { 1 / 0 },
    "cycle" => ->(bot, _) { bot.play({ x: [].tap { |list| list << list } }) },
    "unwritten" => ->(_, choice) { Arena::Bot.new.on_move(choice) }
  }.freeze

  def on_init(init)
    @init = init
    trap("ALRM") {} if init["match"] == "storm"
  end

  def on_move(call)
    what = call["view"]["do"]
    case what
    when "told" then repeat(call)
    when "print"
      print "thinking"
      resign
    when "think"
      puts "!"
      File.open("gate", "rb") { |gate| gate.readpartial(1) }
      resign
    else ANSWERS.fetch(what).call(self, call["legal"].first)
    end
  end

  def on_term(term)
    puts term["reason"] if @init["match"] == "talk"
  end

  # Say in a note what init and move told.
  def repeat(call)
    played = call["opponent_moves"].first
    told = [@init["seed"], @init["time"]["clock"], played["seat"], call["ply"], call["left_ms"]]
    play(played["move"], note: told.join(" "))
  end
end

Arena.run(Probe.new) if $PROGRAM_NAME == __FILE__
