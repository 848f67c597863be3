//! The Rust kit: implement `Bot`, answer its calls, and `run` it, as bots/starter/rust does.
//!
//! It needs this file and the crates serde, serde_json, serde_path_to_error and rmp-serde; ZMTP, the
//! protocol below the messages, is written out here. The fields of calls are those of
//! protocol/SPEC.md. What you print is kept with the match; an error that you return ends the bot
//! with its text on standard error.
#![allow(dead_code)] // A bot needs some of this, and seldom all.

use std::error::Error;
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use serde::{de::DeserializeOwned, Deserialize, Serialize};
pub use serde_json::{json, Map, Value};

pub const PROTOCOL: u64 = 1;
pub const MAX_CALL_BYTES: usize = 1024 * 1024;
pub const MAX_REPLY_BYTES: usize = 64 * 1024;
pub const MAX_NOTE: usize = 1024; // characters
const MAX_DEPTH: usize = 16;
const MAX_INTEGER: i64 = 1 << 53;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;
pub type Fields = Map<String, Value>;

/// A program that plays match after match. Write `on_move` and any other methods you need.
pub trait Bot {
    fn name(&self) -> &str {
        ""
    }

    fn version(&self) -> &str {
        ""
    }

    /// Of "view" (the position) and "legal": to be in the calls of `on_move`.
    fn wants(&self) -> &[&str] {
        &[]
    }

    /// A match begins.
    fn on_init(&mut self, _init: &Init) -> Result<()> {
        Ok(())
    }

    /// Return `play(...)`, `resign()` or `done()`.
    fn on_move(&mut self, call: &Move) -> Result<Reply>;

    /// Return the board as it is now, a string a row.
    fn on_display(&mut self) -> Result<Vec<String>> {
        Err("this game asks for the board: the bot must have on_display".into())
    }

    /// A match ends. After the last the process ends by itself.
    fn on_term(&mut self, _term: &Term) -> Result<()> {
        Ok(())
    }
}

// ---- Calls

#[derive(Debug, Deserialize)]
pub struct Init {
    pub game: String,
    pub options: Fields,
    /// Names the match, for the bot's own notes.
    #[serde(rename = "match")]
    pub match_name: String,
    pub seat: usize,
    pub seats: usize,
    pub players: Vec<String>,
    pub seed: u32,
    pub time: Fields,
    pub history: Vec<Played>,
    /// The position after `history`.
    pub view: Fields,
}

#[derive(Debug, Deserialize)]
pub struct Move {
    pub ply: u64,
    /// What was played since the bot's last call, oldest first.
    pub opponent_moves: Vec<Played>,
    pub left_ms: Option<u64>,
    pub view: Option<Fields>,
    pub legal: Option<Vec<Value>>,
}

impl Move {
    /// The legal moves; none when they were not wanted or are too many for a message.
    pub fn legal(&self) -> &[Value] {
        self.legal.as_deref().unwrap_or_default()
    }
}

/// A move of a seat; in some games also a draw, without a seat.
#[derive(Debug, Deserialize)]
pub struct Played {
    pub seat: Option<usize>,
    /// None where the game hides it; some fields may be missing where the game hides those.
    #[serde(rename = "move")]
    pub played: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub struct Term {
    pub opponent_moves: Vec<Played>,
    pub termination: String,
    pub scores: Vec<String>,
    pub reason: String,
    pub offenders: Vec<usize>,
    pub last: bool,
}

#[derive(Deserialize)]
struct Ask {
    id: u64,
}

#[derive(Deserialize)]
struct Notice {
    code: String,
    detail: String,
}

// ---- The moves of the games: `let point: Pente = read(&call.legal()[0])?`, `play(&point)`

/// Read a move from the wire; an error names the wrong field.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T> {
    typed("move", value)
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Pente {
    pub v: i32,
    pub h: i32,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Matchsticks {
    pub row: bool,
    pub line: i32,
    pub start: i32,
    pub end: i32,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct DownNOut {
    pub row: i32,
    pub col: i32,
}

/// Row and column of a point or square.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Cell(pub i32, pub i32);

/// Of Chinese Checkers and of Damspel.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Step {
    pub from: Cell,
    pub to: Cell,
}

// ---- Answers

/// What `on_move` returns.
#[derive(Default)]
pub struct Reply(Fields);

/// Play a move: one of the structs above, or JSON.
pub fn play(what: impl Serialize) -> Reply {
    Reply::default().with("move", json!(what))
}

/// Give the match up.
pub fn resign() -> Reply {
    Reply::default().with("resign", json!(true))
}

/// End a one-seat game: nothing is left to play, the points stand.
pub fn done() -> Reply {
    Reply::default().with("done", json!(true))
}

impl Reply {
    /// Add claims about the move, see SPEC.md 14.
    pub fn claims(self, claims: impl Serialize) -> Reply {
        self.with("claims", json!(claims))
    }

    /// Add a note, stored with the move.
    pub fn note(self, note: &str) -> Reply {
        self.with("note", json!(note))
    }

    /// Add the value of the position for this bot, -1000 to 1000; shown with the move.
    pub fn value(self, value: i32) -> Reply {
        self.with("value", json!(value))
    }

    /// Add the next moves that the bot expects, in order; shown with the move.
    pub fn plan(self, moves: &[impl Serialize]) -> Reply {
        self.with("plan", json!(moves))
    }

    /// Add figures by name, like the depth of a search; shown with the move.
    pub fn data(self, figures: impl Serialize) -> Reply {
        self.with("data", json!(figures))
    }

    fn with(mut self, name: &str, value: Value) -> Reply {
        self.0.insert(name.to_string(), value);
        self
    }
}

/// Greet the referee and answer its calls. Return what `main` must return: 0 after the last match; 1
/// when the bot returned an error, when the connection closed, and at anything that is no call.
/// Standard error says which.
pub fn run(mut bot: impl Bot) -> ExitCode {
    match serve(&mut bot) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("arena_bot: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(bot: &mut impl Bot) -> Result<()> {
    let unset = "ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so";
    let endpoint = std::env::var("ARENA_ENDPOINT").map_err(|_| unset)?;
    let token = std::env::var("ARENA_TOKEN").map_err(|_| unset)?;
    let mut link = Link::open(&endpoint)?;
    link.send(hello(bot, &token))?;
    loop {
        let call = decode(&link.receive()?)?;
        let kind = call["type"].as_str().ok_or_else(|| no_call(&call))?;
        if let Some(reply) = answer(bot, kind, &call)? {
            link.send(reply)?;
        }
        if kind == "term" && call["last"] == json!(true) {
            return Ok(());
        }
    }
}

fn no_call(call: &Value) -> String {
    let shown: String = call.to_string().chars().take(100).collect();
    format!("a call is a map with a type, not {shown}")
}

fn hello(bot: &impl Bot, token: &str) -> Fields {
    let mut hello = Reply::default()
        .with("type", json!("hello"))
        .with("protocol", json!(PROTOCOL))
        .with("token", json!(token))
        .with("language", json!("rust"));
    for (field, said) in [("name", bot.name()), ("version", bot.version())] {
        if !said.is_empty() {
            hello = hello.with(field, json!(said));
        }
    }
    hello.with("wants", json!(bot.wants())).0
}

fn answer(bot: &mut impl Bot, kind: &str, call: &Value) -> Result<Option<Fields>> {
    let reply = match kind {
        "init" => "ready",
        "move" => "play",
        "display" => "picture",
        "term" => "bye",
        "ping" => "pong",
        "error" => {
            let notice: Notice = typed(kind, call)?;
            eprintln!("arena_bot: error: {}: {}", notice.code, notice.detail);
            return Ok(None);
        }
        _ => return Ok(None), // Calls may be added.
    };
    let id = typed::<Ask>(kind, call)?.id;
    let mut said = Reply::default();
    match kind {
        "init" => bot.on_init(&typed(kind, call)?)?,
        "move" => said = bot.on_move(&typed(kind, call)?)?,
        "display" => said = said.with("board", json!(bot.on_display()?)),
        "term" => bot.on_term(&typed(kind, call)?)?,
        _ => {}
    }
    let said = said.with("type", json!(reply)).with("id", json!(id));
    Ok(Some(said.0))
}

fn typed<T: DeserializeOwned>(kind: &str, value: &Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let place = format!("{kind}.{}", error.path());
        format!("{}: {}", place.trim_end_matches('.'), error.inner()).into()
    })
}

// ---- MessagePack

fn decode(payload: &[u8]) -> Result<Value> {
    let mut rest = payload;
    let mut decoder = rmp_serde::Deserializer::new(&mut rest);
    decoder.set_max_depth(MAX_DEPTH + 1);
    let call = Value::deserialize(&mut decoder)
        .map_err(|error| format!("a call that is not msgpack: {error}"))?;
    match rest.len() {
        0 => Ok(call),
        more => Err(format!("a call with {more} bytes behind it").into()),
    }
}

fn encode(reply: Fields) -> Result<Vec<u8>> {
    let kind = reply["type"].to_string().replace('"', "");
    if let Some(note) = reply.get("note").and_then(Value::as_str) {
        let length = note.chars().count();
        if length > MAX_NOTE {
            return Err(format!("play.note: {length} characters; the limit is {MAX_NOTE}").into());
        }
    }
    let reply = Value::Object(reply);
    if let Some(why) = objection(&reply, 0) {
        return Err(format!("{kind}: cannot be sent: {why}").into());
    }
    let payload = rmp_serde::to_vec(&reply)?;
    match payload.len() {
        0..=MAX_REPLY_BYTES => Ok(payload),
        size => Err(format!("{kind}: {size} bytes; the limit is {MAX_REPLY_BYTES}").into()),
    }
}

/// Why a value may not stand on the wire, by section 4 of SPEC.md.
fn objection(value: &Value, depth: usize) -> Option<String> {
    let is_integer = |number: &i64| (-MAX_INTEGER..=MAX_INTEGER).contains(number);
    match value {
        _ if depth > MAX_DEPTH => Some(format!(
            "more than {MAX_DEPTH} maps and lists in each other"
        )),
        Value::Number(number) if !number.as_i64().as_ref().map_or(false, is_integer) => {
            Some(format!("{number} is no integer within +-2^53"))
        }
        Value::Object(map) if map.is_empty() => Some("an empty map".to_string()),
        Value::Object(map) => map.values().find_map(|item| objection(item, depth + 1)),
        Value::Array(list) => list.iter().find_map(|item| objection(item, depth + 1)),
        _ => None,
    }
}

// ---- ZMTP 3.0, the end of a DEALER: appendix A of SPEC.md

const GREETING: &[u8; 16] = b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL";
const READY: &[u8] = b"\x05READY\x0bSocket-Type\0\0\0\x06DEALER";
const LONG: u8 = 2;
const COMMAND: u8 = 4;
const CLOSED: &str = "the connection to the referee is closed";

trait Stream: Read + Write {}
impl Stream for UnixStream {}
impl Stream for TcpStream {}

/// The connection to the referee.
struct Link(BufReader<Box<dyn Stream>>);

impl Link {
    fn open(endpoint: &str) -> Result<Link> {
        let stream = connect(endpoint).map_err(|error| format!("{endpoint}: {error}"))?;
        let mut link = Link(BufReader::new(stream));
        let mut greeting = [0; 64];
        greeting[..16].copy_from_slice(GREETING);
        link.write(&greeting);
        link.write(&framed(COMMAND, READY));
        link.read(&mut greeting)?;
        if (greeting[0], greeting[9]) != (0xff, 0x7f) || greeting[10] < 3 {
            return Err("the referee speaks no ZMTP 3".into());
        }
        if !greeting[12..].starts_with(b"NULL\0") {
            return Err("the referee wants a security mechanism other than NULL".into());
        }
        match link.frame()? {
            (COMMAND, ready) if ready.starts_with(b"\x05READY") => Ok(link),
            _ => Err("the referee's READY was expected".into()),
        }
    }

    fn send(&mut self, reply: Fields) -> Result<()> {
        self.write(&framed(0, &encode(reply)?));
        Ok(())
    }

    fn receive(&mut self) -> Result<Vec<u8>> {
        loop {
            match self.frame()? {
                (0, body) => return Ok(body),
                (COMMAND, ping) if ping.len() >= 7 && ping.starts_with(b"\x04PING") => {
                    self.write(&framed(COMMAND, &[b"\x04PONG", &ping[7..]].concat()));
                }
                (COMMAND, _) => {}
                (flags, _) => return Err(format!("a frame with the flags {flags}").into()),
            }
        }
    }

    /// The next frame; its flags are without LONG.
    fn frame(&mut self) -> Result<(u8, Vec<u8>)> {
        let (mut head, mut size) = ([0; 2], [0; 8]);
        self.read(&mut head)?;
        size[7] = head[1];
        if head[0] & LONG != 0 {
            size[0] = head[1];
            self.read(&mut size[1..])?;
        }
        let size = u64::from_be_bytes(size);
        if size > MAX_CALL_BYTES as u64 {
            return Err(format!("a call of {size} bytes; the limit is {MAX_CALL_BYTES}").into());
        }
        let mut body = vec![0; size as usize];
        self.read(&mut body)?;
        Ok((head[0] & !LONG, body))
    }

    fn read(&mut self, into: &mut [u8]) -> Result<()> {
        self.0.read_exact(into).map_err(|_| CLOSED.into())
    }

    /// A referee that is gone is noticed when reading: it may have said why before.
    fn write(&mut self, bytes: &[u8]) {
        let _ = self.0.get_mut().write_all(bytes);
    }
}

fn connect(endpoint: &str) -> io::Result<Box<dyn Stream>> {
    if let Some(path) = endpoint.strip_prefix("ipc://") {
        return Ok(Box::new(UnixStream::connect(path)?));
    }
    if let Some(address) = endpoint.strip_prefix("tcp://") {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        return Ok(Box::new(stream));
    }
    let wanted = "ARENA_ENDPOINT is ipc://PATH or tcp://IP:PORT";
    Err(io::Error::new(io::ErrorKind::InvalidInput, wanted))
}

fn framed(flags: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = match u8::try_from(body.len()) {
        Ok(size) => vec![flags, size],
        Err(_) => [&[flags | LONG][..], &(body.len() as u64).to_be_bytes()].concat(),
    };
    frame.extend_from_slice(body);
    frame
}
