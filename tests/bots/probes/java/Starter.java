import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A bot for tests of the Java kit: does at its turn what the field `view.do` says. */
class Starter extends Bot {
  private Init init;

  @Override
  void onInit(Init init) {
    this.init = init;
  }

  @Override
  void onTerm(Term term) {
    if (init.match().equals("talk")) {
      System.out.println(term.reason());
    }
  }

  @Override
  Reply onMove(MoveCall call) {
    return switch (call.view().text("do")) {
      case "play" -> play(call.legal().get(0));
      case "typed pente" -> play(PenteMove.of(call.legal().get(0)));
      case "typed matchsticks" -> play(MatchsticksMove.of(call.legal().get(0)));
      case "typed chinese_checkers" -> play(ChineseCheckersMove.of(call.legal().get(0)));
      case "typed down_n_out" -> play(DownNOutMove.of(call.legal().get(0)));
      case "typed damspel" -> play(DamspelMove.of(call.legal().get(0)));
      case "told" -> told(call);
      case "claims" -> {
        var captures = List.of(List.of(List.of(0, 1), List.of(0, 2)));
        yield play(new PenteMove(0, -4)).claims(Map.of("victory", false, "captures", captures));
      }
      case "all" -> play(call.legal().get(0)).claims(Map.of("victory", true)).note("hé");
      case "remarks" -> {
        var plan = List.of(new PenteMove(1, 2));
        yield play(new PenteMove(0, 0)).value(-7).plan(plan).data(Map.of("depth", 3));
      }
      case "resign" -> resign();
      case "done" -> done();
      case "print" -> {
        System.out.print("thinking");
        yield resign();
      }
      case "think" -> think();
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
    Object[] told = {init.seed(), init.time().clock(), played.seat(), call.ply(), call.leftMs()};
    return play(played.move()).note("%s %s %s %s %s".formatted(told));
  }

  private static Reply think() {
    System.out.println("!");
    try (var gate = new FileInputStream("gate")) { // a pipe
      gate.read();
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
    return resign();
  }

  public static void main(String[] args) {
    run(new Starter());
  }
}
