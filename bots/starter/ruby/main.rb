# frozen_string_literal: true

# A starter bot: it plays random legal moves in any game.

require_relative "arena_bot"

# Replace the body of `on_move` by your idea.
class Starter < Arena::Bot
  def name = "starter"
  def version = "1"
  def wants = %w[view legal]

  # Remember the match; its seed makes all random choices reproducible.
  def on_init(init)
    @random = Random.new(init["seed"])
    @seats = init["seats"]
    @view = init["view"]
  end

  # Choose one of the legal moves.
  def on_move(call)
    @view = call["view"]
    legal = call["legal"]
    return play(legal.sample(random: @random)) if legal && !legal.empty?

    # No list: a one-seat game with no move left, or more moves than fit into a message.
    @seats == 1 ? done : resign
  end

  # Show the board as last seen: after an own move you must have changed it yourself.
  def on_display(_call) = @view["board"]
end

Arena.run(Starter.new) if $PROGRAM_NAME == __FILE__
