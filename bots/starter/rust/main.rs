//! Plays any game: one of the legal moves, at random. Make `on_move` cleverer.
//! More features, and the moves of the games as structs: arena_bot.rs.

mod arena_bot;

use arena_bot::{done, play, resign, run, Bot, Fields, Init, Move, Reply, Result};

#[derive(Default)]
struct Starter {
    chance: u64,
    seats: usize,
    view: Fields,
}

impl Bot for Starter {
    fn name(&self) -> &str {
        "starter-rust"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn wants(&self) -> &[&str] {
        &["view", "legal"]
    }

    /// A match begins. All chance comes from its seed: so it can be played again.
    fn on_init(&mut self, init: &Init) -> Result<()> {
        self.chance = init.seed.into();
        self.seats = init.seats;
        self.view = init.view.clone();
        Ok(())
    }

    /// Your turn: choose one of the moves that the rules allow.
    fn on_move(&mut self, call: &Move) -> Result<Reply> {
        self.view = call.view.clone().unwrap_or_default();
        self.chance = self
            .chance
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        match call.legal() {
            // A one-seat game with no move left, or more moves than fit into a message.
            [] => Ok(if self.seats == 1 { done() } else { resign() }),
            legal => Ok(play(&legal[(self.chance >> 33) as usize % legal.len()])),
        }
    }

    /// Show the board as last seen: after an own move you must have changed it yourself.
    fn on_display(&mut self) -> Result<Vec<String>> {
        let board = self.view.get("board").cloned().unwrap_or_default();
        Ok(serde_json::from_value(board)?)
    }
}

fn main() -> std::process::ExitCode {
    run(Starter::default())
}
