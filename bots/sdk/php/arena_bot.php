<?php

// The PHP kit: extend `Bot`, answer its calls, and `run` it.
//
//     require __DIR__ . '/arena_bot.php';
//
//     class First extends Bot
//     {
//         public array $wants = ['legal'];
//
//         public function onMove(object $call): array
//         {
//             return play($call->legal[0]);
//         }
//     }
//     run(new First());
//
// It needs this file alone. Moves, claims and views are objects with the fields of protocol/SPEC.md;
// in what a bot sends, an array with names is a map too. What you print is kept with the match; an
// exception ends the bot with its trace. The kit implements ZMTP and the protocol's part of
// MessagePack (SPEC.md, appendices A and B).

declare(strict_types=1);

namespace Arena;

const PROTOCOL = 1;
const MAX_CALL_BYTES = 1024 * 1024;
const MAX_REPLY_BYTES = 64 * 1024;
const MAX_NOTE = 1024; // characters
const LARGEST = 2 ** 53;
const MAX_DEPTH = 100;

/** A program to play match after match. Write `onMove` and any other methods you need. */
abstract class Bot
{
    public string $name = '';
    public string $version = '';
    /** Of "view" (the position) and "legal": to be in `move` calls. */
    public array $wants = [];

    /** Begin a match: game, options, seat, seed, history, view (after it), ... */
    public function onInit(object $init): void {}

    /** Return `play(...)`, `resign()` or `done()`. News is in `opponent_moves`, oldest first. */
    abstract public function onMove(object $call): mixed;

    /** Return the present board, one text per row. */
    public function onDisplay(object $call): array
    {
        throw new \LogicException('this game asks for the board: the bot must have onDisplay');
    }

    /** End a match: termination, scores, ... After the `last` the process ends by itself. */
    public function onTerm(object $term): void {}
}

/**
 * Return the reply with a move; `claims` describe its effect.
 *
 * The others are remarks, shown with the move: a `note`, the `value` of the position for this bot
 * (-1000 to 1000), a `plan` (the next moves it expects), and `data` (figures by name).
 */
function play(
    mixed $move,
    mixed $claims = null,
    ?string $note = null,
    ?int $value = null,
    ?array $plan = null,
    ?array $data = null,
): array {
    if ($note !== null && ($length = preg_match_all('/./us', $note)) > MAX_NOTE) {
        throw new \ValueError("play.note: $length characters; the limit is " . MAX_NOTE);
    }
    $said = compact('claims', 'note', 'value', 'plan', 'data');
    return ['move' => $move] + array_filter($said, fn ($what) => $what !== null);
}

/** Return the reply to resign. */
function resign(): array { return ['resign' => true]; }

/** Return the reply to end a one-seat game with the present points. */
function done(): array { return ['done' => true]; }

/**
 * Greet the referee and answer its calls, to the end of the process.
 *
 * It exits with 0 after its last match; with 1 when the bot raised an exception, when the connection
 * closed, and at any invalid call; stderr has the reason.
 */
function run(Bot $bot): never
{
    ini_set('display_errors', 'stderr');
    ini_set('html_errors', '0');
    ini_set('memory_limit', '-1'); // The referee limits it.
    set_error_handler(function (int $level, string $text, string $file, int $line): bool {
        if (error_reporting() & $level & ~(E_DEPRECATED | E_USER_DEPRECATED)) { // Not behind an @.
            throw new \ErrorException($text, 0, $level, $file, $line);
        }
        return false;
    });
    try {
        serve($bot, getenv('ARENA_ENDPOINT'), getenv('ARENA_TOKEN'));
        exit(0);
    } catch (WireError $error) {
        fwrite(STDERR, "arena_bot: {$error->getMessage()}\n");
    } catch (\Throwable $error) {
        fwrite(STDERR, "$error\n");
    }
    exit(1);
}

/** Something is wrong with a message or the connection, and not with the bot's thinking. */
class WireError extends \Exception {}

const REPLIES = [
    'init' => 'ready', 'move' => 'play', 'display' => 'picture', 'ping' => 'pong', 'term' => 'bye',
];
/** Guaranteed fields of a call, by PHP's names of types. */
const FIELDS = [
    'init' => [
        'int' => ['id', 'seat', 'seats', 'seed'], 'string' => ['game', 'match'],
        'stdClass' => ['options', 'time', 'view'], 'array' => ['players', 'history'],
    ],
    'move' => ['int' => ['id', 'ply'], 'array' => ['opponent_moves']],
    'display' => ['int' => ['id']],
    'ping' => ['int' => ['id']],
    'term' => ['int' => ['id'], 'array' => ['opponent_moves', 'scores'], 'bool' => ['last']],
    'error' => ['string' => ['code', 'detail']],
];

function serve(Bot $bot, string|false $endpoint, string|false $token): void
{
    if ($endpoint === false || $token === false) {
        $how = 'the arena starts a bot so';
        throw new WireError("ARENA_ENDPOINT and ARENA_TOKEN must be set: $how");
    }
    $wire = new Wire($endpoint);
    $said = ['name' => $bot->name, 'version' => $bot->version, 'wants' => $bot->wants];
    $hello = ['type' => 'hello', 'protocol' => PROTOCOL, 'token' => $token, 'language' => 'php'];
    send($wire, $hello + array_filter($said));
    while (true) {
        $call = decode($wire->receive());
        if ($call->type === 'error') {
            fwrite(STDERR, "arena_bot: error: {$call->code}: {$call->detail}\n");
        } elseif (isset(REPLIES[$call->type])) {
            send($wire, answer($bot, $call));
            if ($call->type === 'term' && $call->last) {
                return;
            }
        }
    }
}

function answer(Bot $bot, object $call): array
{
    $reply = ['type' => REPLIES[$call->type], 'id' => $call->id];
    switch ($call->type) {
        case 'init':
            $bot->onInit($call);
            break;
        case 'move':
            $said = $bot->onMove($call);
            if (!is_array($said) || !array_intersect_key($said, ['move' => 0, 'resign' => 0, 'done' => 0])) {
                $found = shown($said);
                throw new WireError("onMove must return play(...), resign() or done(), not $found");
            }
            return $reply + $said;
        case 'display':
            $reply['board'] = $bot->onDisplay($call);
            break;
        case 'term':
            $bot->onTerm($call);
    }
    return $reply;
}

function send(Wire $wire, array $reply): void
{
    $payload = pack_value($reply, $reply['type']);
    if (($size = strlen($payload)) > MAX_REPLY_BYTES) {
        throw new WireError("{$reply['type']}: $size bytes; the limit is " . MAX_REPLY_BYTES);
    }
    $wire->send($payload);
}

/** Return the fields of a call; throws WireError for one that breaks the protocol. */
function decode(string $payload): object
{
    $call = (new Unpacker($payload))->whole();
    if (!$call instanceof \stdClass || !is_string($call->type ?? null)) {
        throw new WireError('a call is a map with a type, not ' . shown($call));
    }
    foreach (FIELDS[$call->type] ?? [] as $wanted => $names) {
        foreach ($names as $name) {
            if (!property_exists($call, $name) || get_debug_type($call->$name) !== $wanted) {
                $found = property_exists($call, $name) ? shown($call->$name) : 'missing';
                throw new WireError("{$call->type}.$name: $wanted expected, not $found");
            }
        }
    }
    return $call;
}

/** Return a value as text for people, on one line. */
function shown(mixed $value): string
{
    $flags = JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR;
    return substr((string) json_encode($value, $flags), 0, 100);
}

/** ZMTP 3.0 with the mechanism NULL, a DEALER's end of it. */
class Wire
{
    private const READY = "\x05READY\x0bSocket-Type\0\0\0\x06DEALER";
    private const LONG = 2; // Flags of a frame.
    private const COMMAND = 4;
    private const CLOSED = 'the connection to the referee is closed';
    /** @var resource */
    private $socket;
    private string $unread = '';

    /** Connect; a message may be sent once the other end has said READY. */
    public function __construct(string $endpoint)
    {
        $this->socket = self::connect($endpoint);
        $greeting = "\xff" . str_repeat("\0", 8) . "\x7f\x03\0" . str_pad('NULL', 20, "\0");
        $this->write(str_pad($greeting, 64, "\0"));
        while (strlen($this->unread) < 64) {
            $this->read();
        }
        $other = substr($this->unread, 0, 64);
        $this->unread = substr($this->unread, 64);
        if ($other[0] !== "\xff" || ord($other[10]) < 3 || substr($other, 12, 20) !== substr($greeting, 12)) {
            throw new WireError('the referee speaks no ZMTP 3 with the mechanism NULL');
        }
        $this->send(self::READY, self::COMMAND);
        [$flags, $body] = $this->frame();
        if (!($flags & self::COMMAND) || !str_starts_with($body, "\x05READY")) {
            throw new WireError("the referee's first frame is not READY");
        }
    }

    /** Return the next message. */
    public function receive(): string
    {
        while (true) {
            [$flags, $body] = $this->frame();
            if (!($flags & self::COMMAND)) {
                return $body;
            }
            if (str_starts_with($body, "\x04PING")) {
                $this->send("\x04PONG" . substr($body, 7), self::COMMAND);
            }
        }
    }

    /** Send a frame. This may block, but the referee reads while waiting for this bot. */
    public function send(string $body, int $flags = 0): void
    {
        $size = strlen($body);
        $head = $size < 256 ? pack('CC', $flags, $size) : pack('CJ', $flags | self::LONG, $size);
        $this->write($head . $body);
    }

    /** @return resource */
    private static function connect(string $endpoint)
    {
        [$kind, $place] = explode('://', $endpoint, 2) + [1 => ''];
        $address = ($kind === 'ipc' ? 'unix://' : 'tcp://') . $place;
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
        $socket = @stream_socket_client($address, $_, $why, null, STREAM_CLIENT_CONNECT, $context);
        if ($socket === false) {
            throw new WireError("cannot connect to $endpoint: " . strtok($why ?: 'no such place', "\n"));
        }
        stream_set_timeout($socket, PHP_INT_MAX >> 32); // By default a read ends after a minute.
        stream_set_read_buffer($socket, 0);
        return $socket;
    }

    /** @return array{int, string} the flags and the body of the next frame */
    private function frame(): array
    {
        while (strlen($this->unread) < 2) {
            $this->read();
        }
        [1 => $flags, 2 => $size] = unpack('C2', $this->unread);
        $begin = 2;
        if ($flags & ~(self::LONG | self::COMMAND)) {
            throw new WireError(sprintf('a message is one frame, but a frame has the flags 0x%02x', $flags));
        }
        if ($flags & self::LONG) {
            while (strlen($this->unread) < 9) {
                $this->read();
            }
            $begin = 9;
            $size = unpack('J', $this->unread, 1)[1];
            if ($size < 0 || $size > MAX_CALL_BYTES) {
                $text = sprintf('a call of %u bytes; the limit is %d', $size, MAX_CALL_BYTES);
                throw new WireError($text);
            }
        }
        while (strlen($this->unread) < $begin + $size) {
            $this->read();
        }
        $body = substr($this->unread, $begin, $size);
        $this->unread = substr($this->unread, $begin + $size);
        return [$flags, $body];
    }

    private function read(): void
    {
        do { // A signal ends the wait without a byte.
            $piece = @fread($this->socket, 65536);
        } while (($piece === false || $piece === '') && !feof($this->socket));
        if ($piece === false || $piece === '') {
            throw new WireError(self::CLOSED);
        }
        $this->unread .= $piece;
    }

    private function write(string $data): void
    {
        while ($data !== '') {
            $sent = @fwrite($this->socket, $data);
            if ($sent === false || $sent === 0) {
                throw new WireError(self::CLOSED);
            }
            $data = substr($data, $sent);
        }
    }
}

/** Return a value as MessagePack; throws WireError with the field of one that cannot be sent. */
function pack_value(mixed $value, string $place, int $depth = 0): string
{
    if ($depth > MAX_DEPTH) {
        throw new WireError("$place: cannot be sent: too deep");
    }
    return match (true) {
        $value === null => "\xc0",
        is_bool($value) => $value ? "\xc3" : "\xc2",
        is_int($value) => pack_integer($value, $place),
        is_string($value) => pack_text($value, $place),
        is_array($value) && array_is_list($value) => pack_list($value, $place, $depth),
        is_array($value), $value instanceof \stdClass => pack_map((array) $value, $place, $depth),
        default => throw new WireError("$place: cannot be sent: " . get_debug_type($value)),
    };
}

function pack_list(array $items, string $place, int $depth): string
{
    $data = head(count($items), 0x90, 15, 0, 0xdc);
    foreach ($items as $number => $item) {
        $data .= pack_value($item, "{$place}[$number]", $depth + 1);
    }
    return $data;
}

function pack_map(array $fields, string $place, int $depth): string
{
    if ($fields === []) {
        throw new WireError("$place: cannot be sent: a map without fields");
    }
    $data = head(count($fields), 0x80, 15, 0, 0xde);
    foreach ($fields as $name => $value) {
        $data .= pack_text((string) $name, $place) . pack_value($value, "$place.$name", $depth + 1);
    }
    return $data;
}

function pack_integer(int $value, string $place): string
{
    if ($value >= -32 && $value <= 127) {
        return chr($value & 255);
    }
    if ($value > LARGEST || $value < -LARGEST) {
        throw new WireError("$place: cannot be sent: $value is outside +-2^53");
    }
    return ($value >= 0 ? "\xcf" : "\xd3") . pack('J', $value);
}

function pack_text(string $text, string $place): string
{
    if (!preg_match('//u', $text)) {
        throw new WireError("$place: cannot be sent: text that is not UTF-8");
    }
    return head(strlen($text), 0xa0, 31, 0xd9, 0xda) . $text;
}

function head(int $size, int $fixed, int $most, int $short, int $middle): string
{
    return match (true) {
        $size <= $most => chr($fixed | $size),
        $short > 0 && $size < 2 ** 8 => pack('CC', $short, $size),
        $size < 2 ** 16 => pack('Cn', $middle, $size),
        default => pack('CN', $middle + 1, $size),
    };
}

/** Reads the protocol's part of MessagePack: maps are objects, lists are arrays. */
class Unpacker
{
    private int $at = 0;

    public function __construct(private string $payload) {}

    /** Return the value of the whole message. */
    public function whole(): mixed
    {
        $value = $this->value(0);
        return $this->at === strlen($this->payload) ? $value : $this->bad('bytes behind the call');
    }

    private function value(int $depth): mixed
    {
        if ($depth > MAX_DEPTH) {
            $this->bad('too deep');
        }
        $first = ord($this->take(1));
        return match (true) {
            $first <= 0x7f => $first,
            $first >= 0xe0 => $first - 256,
            $first <= 0x8f => $this->map($first & 15, $depth),
            $first <= 0x9f => $this->list($first & 15, $depth),
            $first <= 0xbf => $this->text($first & 31),
            $first === 0xc0 => null,
            $first === 0xc2, $first === 0xc3 => $first === 0xc3,
            $first >= 0xcc && $first <= 0xcf => $this->number(1 << $first - 0xcc),
            $first >= 0xd0 && $first <= 0xd3 => $this->signed(1 << $first - 0xd0),
            $first >= 0xd9 && $first <= 0xdb => $this->text($this->number(1 << $first - 0xd9)),
            $first === 0xdc, $first === 0xdd => $this->list($this->number(2 << $first - 0xdc), $depth),
            $first === 0xde, $first === 0xdf => $this->map($this->number(2 << $first - 0xde), $depth),
            default => $this->bad(sprintf('the byte %02x', $first)),
        };
    }

    private function number(int $bytes): int
    {
        return (int) hexdec(bin2hex($this->take($bytes)));
    }

    private function signed(int $bytes): int
    {
        $unused = 64 - 8 * $bytes;
        return unpack('J', str_pad($this->take($bytes), 8, "\0", STR_PAD_LEFT))[1] << $unused >> $unused;
    }

    private function text(int $size): string
    {
        $text = $this->take($size);
        return preg_match('//u', $text) ? $text : $this->bad('text that is not UTF-8');
    }

    private function list(int $size, int $depth): array
    {
        $items = [];
        while ($size-- > 0) {
            $items[] = $this->value($depth + 1);
        }
        return $items;
    }

    private function map(int $size, int $depth): \stdClass
    {
        $fields = [];
        while ($size-- > 0) {
            $name = $this->value($depth + 1);
            $fields[is_string($name) ? $name : $this->bad('a name that is no text')] = $this->value($depth + 1);
        }
        return (object) $fields;
    }

    private function take(int $size): string
    {
        if ($this->at + $size > strlen($this->payload)) {
            $this->bad('its end is missing');
        }
        $this->at += $size;
        return substr($this->payload, $this->at - $size, $size);
    }

    private function bad(string $why): never
    {
        $begin = bin2hex(substr($this->payload, 0, 64));
        throw new WireError("a call that is not msgpack: $why: $begin");
    }
}
