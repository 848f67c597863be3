<?php

// A bot for tests of the PHP kit: does at its turn what the field `view.do` says.

declare(strict_types=1);

use Arena\Bot;

use function Arena\{done, play, resign, run};

require __DIR__ . '/arena_bot.php';

/** Makes the mistake that the match or the call names. */
class Probe extends Bot
{
    private object $init;

    public function onInit(object $init): void
    {
        $this->init = $init;
        if ($init->match === 'storm' && function_exists('pcntl_signal')) {
            pcntl_signal(SIGALRM, fn () => null, false);
        }
    }

    public function onMove(object $call): mixed
    {
        $choice = ($call->legal ?? [null])[0];
        return match ($call->view->do) {
            'play' => play($choice),
            'resign' => resign(),
            'done' => done(),
            'all' => play($choice, ['victory' => true], "h\u{e9}"),
            'remarks' => play(['v' => 0, 'h' => 0], value: -7, plan: [['v' => 1, 'h' => 2]], data: ['depth' => 3]),
            'override' => ['id' => 77, 'type' => 'bye'] + play($choice),
            'numbers' => play(['v' => [2 ** 53, -(2 ** 53), 2 ** 32, 128, -33, -1, 0]]),
            'nothing' => null,
            'bare' => $choice,
            'long' => play(['x' => str_repeat('x', 70000)]),
            'float' => play(['x' => [1, 0.5]]),
            'huge' => play(['x' => 2 ** 53 + 1]),
            'empty' => play(new stdClass()),
            'bytes' => play(['x' => "\xff"]),
            'cycle' => $this->cycle(),
            'note' => play(['x' => 1], note: str_repeat('x', Arena\MAX_NOTE + 1)),
            'key' => play($choice->nothing),
            'zero' => intdiv(1, 0),
            'told' => $this->told($call),
            'print' => $this->shown('thinking'),
            'think' => $this->thinking(),
        };
    }

    public function onTerm(object $term): void
    {
        if ($this->init->match === 'talk') {
            echo $term->reason, "\n";
        }
    }

    private function cycle(): array
    {
        $list = [];
        $list[] = &$list;
        return play(['x' => $list]);
    }

    private function shown(string $text): array
    {
        echo $text;
        return resign();
    }

    private function thinking(): array
    {
        echo "!\n";
        fread(fopen('gate', 'rb'), 1);
        return resign();
    }

    /** Say in a note what init and move told. */
    private function told(object $call): array
    {
        $played = $call->opponent_moves[0];
        $told = [$this->init->seed, $this->init->time->clock, $played->seat, $call->ply, $call->left_ms];
        return play($played->move, note: implode(' ', $told));
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    run(new Probe());
}
