import java.util.List;
import java.util.Random;

/** Plays any game: one of the legal moves, at random. Make onMove cleverer. */
class Starter extends Bot {
  private Random random;
  private int seats;
  private Fields view;

  /** A match begins; all chance comes from its seed, so that it can be played again. */
  @Override
  void onInit(Init init) {
    random = new Random(init.seed());
    seats = init.seats();
    view = init.view();
  }

  /** Your turn: opponentMoves has the moves since your last, legal your legal moves. */
  @Override
  Reply onMove(MoveCall call) {
    view = call.view();
    List<Fields> legal = call.legal();
    if (legal != null && !legal.isEmpty()) {
      return play(legal.get(random.nextInt(legal.size())));
    }
    // No list: a game of one seat with no move left, or more moves than fit into a message.
    return seats == 1 ? done() : resign();
  }

  /** Shows the board as last seen: after an own move you must have changed it yourself. */
  @Override
  List<String> onDisplay() {
    return view.texts("board");
  }

  public static void main(String[] args) {
    run(new Starter().name("starter-java").version("1").wants("view", "legal"));
  }
}
