import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The Java kit: extend this class, write onMove and any other methods you need.
 *
 * <pre>
 *   class First extends Bot {
 *     Reply onMove(MoveCall call) { return play(call.legal().get(0)); }
 *     public static void main(String[] args) { run(new First().wants("legal")); }
 *   }
 * </pre>
 *
 * The fields of calls, moves, claims and views are in protocol/SPEC.md. What is wrong, at either
 * end, ends the bot with exit code 1 and a line on stderr that names the field.
 *
 * <p>MessagePack is msgpack-core. ZMTP 3.0 (NULL, a DEALER's end) is written out over a channel of
 * the JDK: it starts in no time and has no threads of its own, which would count against the bot.
 */
abstract class Bot {
  private final Map<String, Object> about = new LinkedHashMap<>();

  /** Returns the name of the bot. */
  Bot name(String name) {
    about.put("name", name);
    return this;
  }

  /** Returns the version of the bot. */
  Bot version(String version) {
    about.put("version", version);
    return this;
  }

  /** Returns the optional fields of move calls: "view" (the position), "legal" (legal moves). */
  Bot wants(String... wants) {
    about.put("wants", List.of(wants));
    return this;
  }

  /** A match begins; the view is the position after the history. */
  void onInit(Init init) {}

  /** Returns play(move), resign() or done(). What is new is in opponentMoves, oldest first. */
  abstract Reply onMove(MoveCall call);

  /** Returns the board as it is now, a string a row. */
  List<String> onDisplay() {
    throw new Wire.Fault("this game asks for the board: the bot needs onDisplay");
  }

  /** The match is over. After the last one the process ends by itself. */
  void onTerm(Term term) {}

  // ---- Calls

  /** The call that begins a match. */
  record Init(
      String game,
      Fields options,
      String match,
      int seat,
      int seats,
      List<String> players,
      long seed,
      TimeControl time,
      List<PlayedMove> history,
      Fields view) {
    private static Init of(Fields call) {
      return new Init(
          call.text("game"),
          call.map("options"),
          call.text("match"),
          call.integer("seat"),
          call.integer("seats"),
          call.texts("players"),
          call.longInteger("seed"),
          TimeControl.of(call.map("time")),
          PlayedMove.of(call.maps("history")),
          call.map("view"));
    }
  }

  /**
   * What each call may take; bankMs is null where there is no bank. After each move incrementMs is
   * added to what is left of it, and after every bankMoves moves, unless 0, the bank.
   */
  record TimeControl(
      String clock,
      long initMs,
      long perMoveMs,
      Long bankMs,
      long incrementMs,
      long bankMoves,
      long displayMs,
      long termMs,
      long graceMs,
      boolean ponder) {
    private static TimeControl of(Fields time) {
      return new TimeControl(
          time.text("clock"),
          time.longInteger("init_ms"),
          time.longInteger("per_move_ms"),
          time.has("bank_ms") ? time.longInteger("bank_ms") : null,
          time.has("increment_ms") ? time.longInteger("increment_ms") : 0,
          time.has("bank_moves") ? time.longInteger("bank_moves") : 0,
          time.longInteger("display_ms"),
          time.longInteger("term_ms"),
          time.longInteger("grace_ms"),
          time.bool("ponder"));
    }
  }

  /** A move and its seat, which is -1 for a draw; move is null where the game hides it. */
  record PlayedMove(int seat, Fields move) {
    private static List<PlayedMove> of(List<Fields> moves) {
      return moves.stream().map(PlayedMove::of).toList();
    }

    private static PlayedMove of(Fields entry) {
      return new PlayedMove(
          entry.has("seat") ? entry.integer("seat") : -1,
          entry.has("move") ? entry.map("move") : null);
    }
  }

  /**
   * It is the bot's turn. leftMs is null where there is no bank, view and legal where the bot does
   * not want them, legal also where the list would be too long.
   */
  record MoveCall(
      long ply, List<PlayedMove> opponentMoves, Long leftMs, Fields view, List<Fields> legal) {
    private static MoveCall of(Fields call) {
      return new MoveCall(
          call.longInteger("ply"),
          PlayedMove.of(call.maps("opponent_moves")),
          call.has("left_ms") ? call.longInteger("left_ms") : null,
          call.has("view") ? call.map("view") : null,
          call.has("legal") ? call.maps("legal") : null);
    }
  }

  /** The call that ends a match. */
  record Term(
      List<PlayedMove> opponentMoves,
      String termination,
      List<String> scores,
      String reason,
      List<Integer> offenders,
      boolean last) {
    private static Term of(Fields call) {
      return new Term(
          PlayedMove.of(call.maps("opponent_moves")),
          call.text("termination"),
          call.texts("scores"),
          call.text("reason"),
          call.integers("offenders"),
          call.bool("last"));
    }
  }

  // ---- Moves and replies

  /** A move of one of the games; Fields are one too. */
  interface Move {
    /** The move as it travels. */
    Map<String, Object> fields();
  }

  /** A row and a column. */
  record Point(int row, int col) {
    private List<Integer> list() {
      return List.of(row, col);
    }
  }

  /** A point, counted from the centre. */
  record PenteMove(int v, int h) implements Move {
    static PenteMove of(Fields move) {
      return new PenteMove(move.integer("v"), move.integer("h"));
    }

    public Map<String, Object> fields() {
      return Map.of("v", v, "h", h);
    }
  }

  /** A run of sticks in a row or a column. */
  record MatchsticksMove(boolean row, int line, int start, int end) implements Move {
    static MatchsticksMove of(Fields move) {
      return new MatchsticksMove(
          move.bool("row"), move.integer("line"), move.integer("start"), move.integer("end"));
    }

    public Map<String, Object> fields() {
      return Map.of("row", row, "line", line, "start", start, "end", end);
    }
  }

  /** A step or a chain of jumps. */
  record ChineseCheckersMove(Point from, Point to) implements Move {
    static ChineseCheckersMove of(Fields move) {
      return new ChineseCheckersMove(move.point("from"), move.point("to"));
    }

    public Map<String, Object> fields() {
      return Map.of("from", from.list(), "to", to.list());
    }
  }

  /** A cell of the group to remove. */
  record DownNOutMove(int row, int col) implements Move {
    static DownNOutMove of(Fields move) {
      return new DownNOutMove(move.integer("row"), move.integer("col"));
    }

    public Map<String, Object> fields() {
      return Map.of("row", row, "col", col);
    }
  }

  /** A slide or a jump. */
  record DamspelMove(Point from, Point to) implements Move {
    static DamspelMove of(Fields move) {
      return new DamspelMove(move.point("from"), move.point("to"));
    }

    public Map<String, Object> fields() {
      return Map.of("from", from.list(), "to", to.list());
    }
  }

  /** What onMove returns: of play, resign or done. */
  record Reply(Map<String, Object> fields) {
    /** Adds claims about the move: booleans, integers, strings, lists and maps. */
    Reply claims(Map<String, Object> claims) {
      return with("claims", claims);
    }

    /** Adds a text for the record of the match. */
    Reply note(String text) {
      int length = text.codePointCount(0, text.length());
      if (length > Wire.MAX_NOTE) {
        throw new Wire.Fault("play.note: %d characters; the limit is %d", length, Wire.MAX_NOTE);
      }
      return with("note", text);
    }

    /** Adds the value of the position for this bot, -1000 to 1000; shown with the move. */
    Reply value(int value) {
      return with("value", value);
    }

    /** Adds the next moves that the bot expects, in order; shown with the move. */
    Reply plan(List<? extends Move> moves) {
      return with("plan", moves.stream().map(Move::fields).toList());
    }

    /** Adds figures by name, like the depth of a search; shown with the move. */
    Reply data(Map<String, ? extends Number> figures) {
      return with("data", figures);
    }

    private Reply with(String field, Object value) {
      Map<String, Object> more = new LinkedHashMap<>(fields);
      more.put(field, value);
      return new Reply(more);
    }
  }

  /** Plays a move: of the records above, or Fields, as one of the legal ones. */
  static Reply play(Move move) {
    return new Reply(Map.of("move", Objects.requireNonNull(move, "play: the move is null")));
  }

  /** Gives the match up. */
  static Reply resign() {
    return new Reply(Map.of("resign", true));
  }

  /** Ends a game of one seat: nothing is left to play, the points stand. */
  static Reply done() {
    return new Reply(Map.of("done", true));
  }

  // ---- Running

  /**
   * Greets the referee and answers its calls. Never returns: exits with 0 after the last match,
   * with 1 when something went wrong in the bot, on the wire or with the connection; stderr says
   * what.
   */
  static void run(Bot bot) {
    int code = 1;
    try {
      bot.serve();
      code = 0;
    } catch (Wire.Fault error) {
      System.err.println("arena_bot: " + bot.open + error.getMessage());
    } catch (Throwable error) { // the bot's author reads any error
      System.err.print("arena_bot: " + bot.open);
      error.printStackTrace();
    }
    System.exit(code);
  }

  private String open = ""; // the call that is open, for messages

  private void serve() throws IOException {
    String endpoint = System.getenv("ARENA_ENDPOINT");
    String token = System.getenv("ARENA_TOKEN");
    if (endpoint == null || token == null) {
      throw new Wire.Fault("ARENA_ENDPOINT and ARENA_TOKEN must be set: the arena starts a bot so");
    }
    Wire.Link link = new Wire.Link(endpoint);
    Map<String, Object> hello = new LinkedHashMap<>(Map.of("type", "hello", "protocol", 1));
    hello.put("token", token);
    hello.put("language", "java");
    hello.putAll(about);
    link.send(Wire.write("hello", hello));
    while (answer(link)) {}
  }

  /** Answers one call, if it is one to be answered; false after the last. */
  private boolean answer(Wire.Link link) throws IOException {
    Fields call = Wire.read(link.message());
    String kind = call.name();
    if (kind.equals("error")) {
      System.err.println("arena_bot: error: " + call.text("code") + ": " + call.text("detail"));
    }
    String answer = ANSWERS.get(kind);
    if (answer == null) {
      return true;
    }
    long id = call.longInteger("id");
    open = kind + " " + id + ": ";
    Map<String, Object> reply = new LinkedHashMap<>(answered(kind, call));
    reply.put("type", answer);
    reply.put("id", id);
    link.send(Wire.write(answer, reply));
    open = "";
    return !(kind.equals("term") && call.bool("last"));
  }

  private static final Map<String, String> ANSWERS =
      Map.of("init", "ready", "move", "play", "display", "picture", "term", "bye", "ping", "pong");

  private Map<String, Object> answered(String kind, Fields call) {
    switch (kind) {
      case "init" -> onInit(Init.of(call));
      case "move" -> {
        Reply said = onMove(MoveCall.of(call));
        if (said == null) {
          throw new Wire.Fault("onMove must return play(move), resign() or done(), not null");
        }
        return said.fields;
      }
      case "display" -> {
        List<String> board = onDisplay();
        if (board == null) {
          throw new Wire.Fault("onDisplay must return a string a row, not null");
        }
        return Map.of("board", board);
      }
      case "term" -> onTerm(Term.of(call));
      default -> {} // ping
    }
    return Map.of();
  }
}
