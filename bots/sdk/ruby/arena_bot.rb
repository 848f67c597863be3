# frozen_string_literal: true

# The Ruby kit: derive a bot from `Arena::Bot`, answer its calls, and run it.
#
#     require_relative "arena_bot"
#
#     class First < Arena::Bot
#       def wants = ["legal"]
#       def on_move(call) = play(call["legal"].first)
#     end
#     Arena.run(First.new) if $PROGRAM_NAME == __FILE__
#
# It needs this file alone. Moves, claims and views are hashes with the fields of protocol/SPEC.md as
# texts; in what a bot sends, symbols are texts too. What you print is kept with the match; an
# exception ends the bot with its backtrace. The kit implements ZMTP and the protocol's part of
# MessagePack (SPEC.md, appendices A and B).

require "socket"

module Arena
  PROTOCOL = 1
  MAX_CALL_BYTES = 1024 * 1024
  MAX_REPLY_BYTES = 64 * 1024
  MAX_NOTE = 1024 # characters
  LARGEST = 2**53
  MAX_DEPTH = 100

  # A program to play match after match. Write `on_move` and any other methods you need.
  class Bot
    def name = ""
    def version = ""

    # Of "view" (the position) and "legal": to be in `move` calls.
    def wants = []

    # Begin a match: game, options, seat, seed, history, view (after it), ...
    def on_init(init) = nil

    # Return `play(...)`, `resign` or `done`. News is in `opponent_moves`, oldest first.
    def on_move(_call)
      raise NotImplementedError, "a bot must have on_move"
    end

    # Return the present board, one text per row.
    def on_display(_call)
      raise NotImplementedError, "this game asks for the board: the bot must have on_display"
    end

    # End a match: termination, scores, ... After the `last` the process ends by itself.
    def on_term(term) = nil

    # Return the reply with a move; `claims` describe its effect.
    #
    # The others are remarks, shown with the move: a `note`, the `value` of the position for this bot
    # (-1000 to 1000), a `plan` (the next moves it expects), and `data` (figures by name).
    def play(move, claims: nil, note: nil, value: nil, plan: nil, data: nil)
      if note && note.length > MAX_NOTE
        raise ArgumentError, "play.note: #{note.length} characters; the limit is #{MAX_NOTE}"
      end
      said = { "claims" => claims, "note" => note, "value" => value, "plan" => plan, "data" => data }
      { "move" => move, **said.compact }
    end

    # Return the reply to resign.
    def resign = { "resign" => true }

    # Return the reply to end a one-seat game with the present points.
    def done = { "done" => true }
  end

  # Something is wrong with a message or the connection, and not with the bot's thinking.
  class WireError < StandardError; end

  # Greet the referee and answer its calls, to the end of the process.
  #
  # It exits with 0 after its last match; with 1 when the bot raised an exception, when the connection
  # closed, and at any invalid call; stderr has the reason.
  def self.run(bot)
    $stdout.sync = true # Otherwise a killed bot loses what it printed.
    Session.new(ENV["ARENA_ENDPOINT"], ENV["ARENA_TOKEN"]).serve(bot)
  rescue WireError => e
    $stderr.puts "arena_bot: #{e.message}"
    exit 1
  rescue StandardError, ScriptError, NoMemoryError, SystemStackError => e
    $stderr.puts e.full_message(highlight: false, order: :top)
    exit 1
  end

  # The calls of one process and their replies.
  class Session
    REPLIES = {
      "init" => "ready", "move" => "play", "display" => "picture", "ping" => "pong", "term" => "bye"
    }.freeze
    BOOLEAN = [true, false].freeze
    # Guaranteed fields of a call.
    FIELDS = {
      "init" => {
        Integer => %w[id seat seats seed], String => %w[game match],
        Hash => %w[options time view], Array => %w[players history]
      },
      "move" => { Integer => %w[id ply], Array => %w[opponent_moves] },
      "display" => { Integer => %w[id] },
      "ping" => { Integer => %w[id] },
      "term" => { Integer => %w[id], Array => %w[opponent_moves scores], BOOLEAN => %w[last] },
      "error" => { String => %w[code detail] }
    }.freeze

    def initialize(endpoint, token)
      unless endpoint && token
        raise WireError, "ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so"
      end
      @wire = Wire.new(endpoint)
      @token = token
    end

    def serve(bot)
      send_reply(hello(bot))
      loop do
        call = Session.decode(@wire.receive)
        kind = call["type"]
        if kind == "error"
          $stderr.puts "arena_bot: error: #{call['code']}: #{call['detail']}"
        elsif REPLIES.key?(kind)
          send_reply(answer(bot, call))
          return if kind == "term" && call["last"]
        end
      end
    end

    # Return the fields of a call; raises WireError for one that breaks the protocol.
    def self.decode(payload)
      call = Unpacker.new(payload).whole
      unless call.is_a?(Hash) && call["type"].is_a?(String)
        raise WireError, "a call is a map with a type, not #{call.inspect[0, 100]}"
      end
      FIELDS.fetch(call["type"], {}).each do |wanted, names|
        names.each { |name| check(call, name, wanted) }
      end
      call
    end

    def self.check(call, name, wanted)
      value = call[name]
      return if wanted == BOOLEAN ? BOOLEAN.include?(value) : value.is_a?(wanted)
      kind = wanted == BOOLEAN ? "true or false" : wanted
      found = call.key?(name) ? value.inspect[0, 100] : "missing"
      raise WireError, "#{call['type']}.#{name}: #{kind} expected, not #{found}"
    end
    private_class_method :check

    private

    def hello(bot)
      said = { "name" => bot.name, "version" => bot.version, "wants" => bot.wants }
      greeting = { "type" => "hello", "protocol" => PROTOCOL, "token" => @token }
      { **greeting, "language" => "ruby", **said.reject { |_, value| value.empty? } }
    end

    def answer(bot, call)
      kind = call["type"]
      reply = { "type" => REPLIES[kind], "id" => call["id"] }
      case kind
      when "move"
        said = bot.on_move(call)
        unless said.is_a?(Hash) && %w[move resign done].any? { |name| said.key?(name) }
          raise WireError, "on_move must return play(...), resign or done, not #{said.inspect[0, 100]}"
        end
        return { **said, **reply }
      when "display" then reply["board"] = bot.on_display(call)
      when "init" then bot.on_init(call)
      when "term" then bot.on_term(call)
      end
      reply
    end

    def send_reply(reply)
      payload = Packer.pack(reply, reply["type"])
      if payload.bytesize > MAX_REPLY_BYTES
        raise WireError, "#{reply['type']}: #{payload.bytesize} bytes; the limit is #{MAX_REPLY_BYTES}"
      end
      @wire.write(payload)
    end
  end

  # ZMTP 3.0 with the mechanism NULL, a DEALER's end of it.
  class Wire
    GREETING = ["\xFF".b, "\0" * 8, "\x7F\x03\0".b, "NULL".ljust(20, "\0"), "\0" * 32].join.b.freeze
    READY = "\x05READY\x0BSocket-Type\0\0\0\x06DEALER".b.freeze
    LONG = 2 # Flags of a frame.
    COMMAND = 4

    # Connect; a message may be sent once the other end has said READY.
    def initialize(endpoint)
      @socket = Wire.connect(endpoint)
      @unread = "".b
      put(GREETING)
      read while @unread.bytesize < GREETING.bytesize
      greeting = @unread.slice!(0, GREETING.bytesize)
      unless greeting.getbyte(0) == 0xFF && greeting.getbyte(10) >= 3 &&
             greeting[12, 20] == GREETING[12, 20]
        raise WireError, "the referee speaks no ZMTP 3 with the mechanism NULL"
      end
      write(READY, COMMAND)
      read until (frame = next_frame)
      return if frame[0].anybits?(COMMAND) && frame[1].start_with?(READY[0, 6])
      raise WireError, "the referee's first frame is not READY"
    end

    # Return the next message.
    def receive
      loop do
        read until (frame = next_frame)
        flags, body = frame
        return body if flags.nobits?(COMMAND)
        write("\x04PONG".b + body.byteslice(7..), COMMAND) if body.start_with?("\x04PING".b)
      end
    end

    # Send a frame. This may block, but the referee reads while waiting for this bot.
    def write(body, flags = 0)
      size = body.bytesize
      put((size < 256 ? [flags, size].pack("CC") : [flags | LONG, size].pack("CQ>")) + body)
    end

    def self.connect(endpoint)
      kind, _, place = endpoint.partition("://")
      return UNIXSocket.new(place) if kind == "ipc"
      host, _, port = place.rpartition(":")
      socket = TCPSocket.new(host, Integer(port))
      socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      socket
    rescue SystemCallError, SocketError, ArgumentError => e
      raise WireError, "cannot connect to #{endpoint}: #{e.message.lines.first.to_s.chomp}"
    end

    private

    def next_frame
      return if @unread.bytesize < 2
      flags, size = @unread.unpack("CC")
      start = 2
      if flags.anybits?(~(LONG | COMMAND))
        raise WireError, format("a message is one frame, but a frame has the flags %#04x", flags)
      end
      if flags.anybits?(LONG)
        return if @unread.bytesize < 9
        start = 9
        size = @unread.unpack1("Q>", offset: 1)
        raise WireError, "a call of #{size} bytes; the limit is #{MAX_CALL_BYTES}" if size > MAX_CALL_BYTES
      end
      return if @unread.bytesize < start + size
      frame = @unread.slice!(0, start + size)
      [flags, frame.byteslice(start, size)]
    end

    def read
      @unread << @socket.readpartial(64 * 1024)
    rescue EOFError, SystemCallError
      raise WireError, "the connection to the referee is closed"
    end

    def put(data)
      @socket.write(data)
    rescue SystemCallError
      raise WireError, "the connection to the referee is closed"
    end
  end

  # Writes values as MessagePack, and names the field of one that cannot be sent.
  module Packer
    module_function

    def pack(value, place, depth = 0)
      raise WireError, "#{place}: cannot be sent: too deep" if depth > MAX_DEPTH
      case value
      when nil then "\xC0".b
      when true then "\xC3".b
      when false then "\xC2".b
      when Integer then integer(value, place)
      when String, Symbol then text(value.to_s, place)
      when Array
        items = value.each_with_index.map { |each, n| pack(each, "#{place}[#{n}]", depth + 1) }
        header(value.size, 0x90, 15, nil, 0xDC) + items.join
      when Hash then map(value, place, depth)
      else
        raise WireError, "#{place}: cannot be sent: #{value.class} #{value.inspect[0, 60]}"
      end
    end

    def map(value, place, depth)
      raise WireError, "#{place}: cannot be sent: a map without fields" if value.empty?
      pairs = value.map do |name, each|
        text(name.to_s, place) + pack(each, "#{place}.#{name}", depth + 1)
      end
      header(value.size, 0x80, 15, nil, 0xDE) + pairs.join
    end

    def integer(value, place)
      return [value].pack("C") if value.between?(0, 127)
      return [value].pack("c") if value.between?(-32, -1)
      return [value >= 0 ? 0xCF : 0xD3, value].pack(value >= 0 ? "CQ>" : "Cq>") if value.abs <= LARGEST
      raise WireError, "#{place}: cannot be sent: #{value.to_s[0, 40]} is outside +-2^53"
    end

    def text(value, place)
      bytes = value.encode(Encoding::UTF_8)
      raise EncodingError unless bytes.valid_encoding?
      header(bytes.bytesize, 0xA0, 31, 0xD9, 0xDA) + bytes.b
    rescue EncodingError
      raise WireError, "#{place}: cannot be sent: text that is not UTF-8"
    end

    def header(size, fixed, most, short, middle)
      return [fixed | size].pack("C") if size <= most
      return [short, size].pack("CC") if short && size < 2**8
      size < 2**16 ? [middle, size].pack("CS>") : [middle + 1, size].pack("CL>")
    end
  end

  # Reads the protocol's part of MessagePack.
  class Unpacker
    NUMBERS = {
      0xCC => [1, "C"], 0xCD => [2, "S>"], 0xCE => [4, "L>"], 0xCF => [8, "Q>"],
      0xD0 => [1, "c"], 0xD1 => [2, "s>"], 0xD2 => [4, "l>"], 0xD3 => [8, "q>"]
    }.freeze
    SIZES = {
      0xD9 => [1, "C"], 0xDA => [2, "S>"], 0xDB => [4, "L>"],
      0xDC => [2, "S>"], 0xDD => [4, "L>"], 0xDE => [2, "S>"], 0xDF => [4, "L>"]
    }.freeze

    def initialize(payload)
      @payload = payload
      @at = 0
    end

    # Return the value of the whole message.
    def whole
      value = read(0)
      bad("bytes behind the call") if @at < @payload.bytesize
      value
    end

    private

    def read(depth)
      bad("too deep") if depth > MAX_DEPTH
      case first = number(1, "C")
      when 0x00..0x7F then first
      when 0xE0..0xFF then first - 256
      when 0xC0 then nil
      when 0xC2, 0xC3 then first == 0xC3
      when 0xCC..0xD3 then number(*NUMBERS[first])
      else sized(first, depth)
      end
    end

    def sized(first, depth)
      case first
      when 0xA0..0xBF then text(first & 31)
      when 0x90..0x9F then list(first & 15, depth)
      when 0x80..0x8F then map(first & 15, depth)
      when 0xD9..0xDB then text(number(*SIZES[first]))
      when 0xDC, 0xDD then list(number(*SIZES[first]), depth)
      when 0xDE, 0xDF then map(number(*SIZES[first]), depth)
      else bad(format("the byte %02x", first))
      end
    end

    def number(size, form) = take(size).unpack1(form)

    def text(size)
      value = take(size).force_encoding(Encoding::UTF_8)
      value.valid_encoding? ? value : bad("text that is not UTF-8")
    end

    def list(size, depth)
      bad("its end is missing") if size > @payload.bytesize
      Array.new(size) { read(depth + 1) }
    end

    def map(size, depth)
      size.times.each_with_object({}) do |_, found|
        name = read(depth + 1)
        bad("a field whose name is no text") unless name.is_a?(String)
        found[name] = read(depth + 1)
      end
    end

    def take(size)
      bad("its end is missing") if @at + size > @payload.bytesize
      @at += size
      @payload.byteslice(@at - size, size)
    end

    def bad(why)
      raise WireError, "a call that is not msgpack: #{why}: #{@payload.byteslice(0, 64).unpack1('H*')}"
    end
  end
end
