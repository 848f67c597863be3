//! A bot for tests of the Rust kit: does at its turn what the field `view.do` says.

mod arena_bot;

use std::io::Read;

use arena_bot::{
    done, json, play, read, resign, run, Bot, DownNOut, Init, Matchsticks, Move, Pente, Reply,
    Result, Step, Term, Value,
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

#[derive(Default)]
struct Probe {
    match_name: String,
    seed: u32,
    clock: String,
}

impl Probe {
    fn told(&self, call: &Move) -> Reply {
        let played = &call.opponent_moves[0];
        let left = call.left_ms.unwrap_or_default();
        let (seed, clock) = (self.seed, &self.clock);
        play(&played.played).note(&format!("{seed} {clock} {} {} {left}", played.seat.unwrap(), call.ply))
    }
}

impl Bot for Probe {
    fn on_init(&mut self, init: &Init) -> Result<()> {
        self.match_name = init.match_name.clone();
        self.seed = init.seed;
        self.clock = init.time["clock"].as_str().unwrap_or_default().to_string();
        if init.match_name == "storm" {
            unsafe {
                signal(SIGALRM, storm);
                siginterrupt(SIGALRM, 1);
                ualarm(200, 200);
            }
        }
        Ok(())
    }

    fn on_term(&mut self, term: &Term) -> Result<()> {
        if self.match_name == "talk" {
            println!("{}", term.reason);
        }
        Ok(())
    }

    fn on_move(&mut self, call: &Move) -> Result<Reply> {
        let view = call.view.as_ref().ok_or("no view")?;
        if view["do"] == "told" {
            return Ok(self.told(call));
        }
        let choice = &call.legal()[0];
        Ok(match view["do"].as_str().ok_or("nothing to do")? {
            "resign" => resign(),
            "done" => done(),
            "all" => play(choice)
                .claims(json!({"victory": true}))
                .note("h\u{e9}"),
            "remarks" => play(Pente { v: 0, h: 0 })
                .value(-7)
                .plan(&[Pente { v: 1, h: 2 }])
                .data(json!({"depth": 3})),
            "note" => play(choice).note(&"x".repeat(1025)),
            "long" => play(json!({ "x": "x".repeat(70000) })),
            "float" => play(json!({"x": 1.5})),
            "huge" => play(json!({ "x": (1u64 << 53) + 1 })),
            "empty" => play(json!({})),
            "deep" => play(json!({ "x": nested(15) })),
            "fail" => return Err("no idea".into()),
            "print" => {
                print!("thinking");
                play(choice)
            }
            "think" => {
                println!("!");
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
    run(Probe::default())
}
