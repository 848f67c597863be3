import java.util.List;
import java.util.Map;

/** A bot for tests of the Java kit: what it does at its turn is said on the command line. */
class Probe extends Bot {
  private final String does;
  private Init init;

  Probe(String does) {
    this.does = does;
  }

  @Override
  void onInit(Init init) {
    this.init = init;
  }

  @Override
  Reply onMove(MoveCall call) {
    return switch (does) {
      case "pente" -> play(PenteMove.of(call.legal().get(0)));
      case "matchsticks" -> play(MatchsticksMove.of(call.legal().get(0)));
      case "chinese_checkers" -> play(ChineseCheckersMove.of(call.legal().get(0)));
      case "down_n_out" -> play(DownNOutMove.of(call.legal().get(0)));
      case "damspel" -> play(DamspelMove.of(call.legal().get(0)));
      case "told" -> told(call);
      case "claims" -> {
        var captures = List.of(List.of(List.of(0, 1), List.of(0, 2)));
        yield play(new PenteMove(0, -4)).claims(Map.of("victory", false, "captures", captures));
      }
      case "resign" -> resign();
      case "done" -> done();
      case "long" -> resign().claims(Map.of("board", List.of("x".repeat(70000))));
      case "float" -> resign().claims(Map.of("board", List.of("0", 0.5)));
      case "huge" -> resign().claims(Map.of("removed", Wire.MAX_INTEGER + 1));
      case "bytes" -> resign().claims(Map.of("board", "\ud800"));
      case "empty" -> resign().claims(Map.of());
      case "nil" -> play(null);
      case "note" -> resign().note("é".repeat(Wire.MAX_NOTE + 1));
      case "panic" -> play(call.legal().get(call.legal().size()));
      case "memory" -> resign().note("" + new long[Integer.MAX_VALUE / 16][16].length);
      default -> null;
    };
  }

  private Reply told(MoveCall call) {
    PlayedMove played = call.opponentMoves().get(0);
    List<Object> told =
        List.of(init.seed(), init.time().clock(), played.seat(), call.ply(), call.leftMs());
    return play(played.move()).note(told.toString());
  }

  public static void main(String[] args) {
    run(new Probe(args[0]));
  }
}
