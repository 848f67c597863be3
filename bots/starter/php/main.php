<?php

// A starter bot: it plays random legal moves in any game.

declare(strict_types=1);

use Arena\Bot;

use function Arena\{done, play, resign, run};

require __DIR__ . '/arena_bot.php';

/** Replace the body of `onMove` by your idea. */
class Starter extends Bot
{
    public string $name = 'starter';
    public string $version = '1';
    public array $wants = ['view', 'legal'];
    private int $seats;
    private object $view;

    /** Remember the match; its seed makes all random choices reproducible. */
    public function onInit(object $init): void
    {
        mt_srand($init->seed);
        $this->seats = $init->seats;
        $this->view = $init->view;
    }

    /** Choose one of the legal moves. */
    public function onMove(object $call): array
    {
        $this->view = $call->view;
        $legal = $call->legal ?? [];
        if ($legal) {
            return play($legal[mt_rand(0, count($legal) - 1)]);
        }
        // No list: a one-seat game with no move left, or more moves than fit into a message.
        return $this->seats === 1 ? done() : resign();
    }

    /** Show the board as last seen: after an own move you must have changed it yourself. */
    public function onDisplay(object $call): array
    {
        return $this->view->board;
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    run(new Starter());
}
