//! Does what `view.do` of a call tells it, for the tests of the Rust kit.

mod arena_bot;

use std::io::{Read, Write};

use arena_bot::{
    done, json, play, read, resign, run, Bot, DownNOut, Init, Matchsticks, Move, Pente, Reply,
    Result, Step, Value,
};

extern "C" {
    fn signal(number: i32, act: extern "C" fn(i32)) -> usize;
    fn siginterrupt(number: i32, flag: i32) -> i32;
    fn ualarm(first_us: u32, interval_us: u32) -> u32;
}

const SIGALRM: i32 = 14;

extern "C" fn storm(_: i32) {}

fn typed(game: &str, choice: &Value) -> Result<Reply> {
    Ok(match game {
        "pente" => play(read::<Pente>(choice)?),
        "matchsticks" => play(read::<Matchsticks>(choice)?),
        "down_n_out" => play(read::<DownNOut>(choice)?),
        _ => play(read::<Step>(choice)?),
    })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

struct Probe;

impl Bot for Probe {
    fn on_init(&mut self, init: &Init) -> Result<()> {
        if init.match_name == "storm" {
            unsafe {
                signal(SIGALRM, storm);
                siginterrupt(SIGALRM, 1);
                ualarm(200, 200);
            }
        }
        Ok(())
    }

    fn on_move(&mut self, call: &Move) -> Result<Reply> {
        let view = call.view.as_ref().ok_or("no view")?;
        let choice = &call.legal()[0];
        Ok(match view["do"].as_str().ok_or("nothing to do")? {
            "resign" => resign(),
            "done" => done(),
            "all" => play(choice)
                .claims(json!({"victory": true}))
                .note("h\u{e9}"),
            "long note" => play(choice).note(&"x".repeat(1025)),
            "large" => play(json!({ "x": "x".repeat(70000) })),
            "float" => play(json!({"x": 1.5})),
            "2^53 + 1" => play(json!({ "x": (1u64 << 53) + 1 })),
            "empty map" => play(json!({})),
            "deep" => play(json!({ "x": nested(15) })),
            "fail" => return Err("no idea".into()),
            "print" => {
                print!("thinking");
                play(choice)
            }
            "think" => {
                print!("!");
                std::io::stdout().flush()?;
                std::fs::File::open("gate")?.read_exact(&mut [0])?; // A pipe.
                play(choice)
            }
            what => match what.strip_prefix("typed ") {
                Some(game) => typed(game, choice)?,
                None => play(choice),
            },
        })
    }
}

fn main() -> std::process::ExitCode {
    run(Probe)
}
