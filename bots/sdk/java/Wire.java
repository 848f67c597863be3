import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;

/** What goes over the wire of protocol 1, and the limits of it. */
final class Wire {
  static final int MAX_CALL_BYTES = 1024 * 1024;
  static final int MAX_REPLY_BYTES = 64 * 1024;
  static final int MAX_DEPTH = 16;
  static final int MAX_NOTE = 1024; // characters
  static final long MAX_INTEGER = 1L << 53;

  private Wire() {}

  /** Something is wrong with a message or the connection. */
  static final class Fault extends RuntimeException {
    Fault(String format, Object... arguments) {
      super(arguments.length == 0 ? format : String.format(format, arguments));
    }
  }

  // ---- MessagePack

  /** Shows a value in a message about it. */
  static String shown(Object found) {
    String type = found == null ? "" : found.getClass().getSimpleName() + " ";
    return found == null ? "nothing" : String.format("%.100s", type + found);
  }

  private static final MessagePack.UnpackerConfig UNPACKER =
      new MessagePack.UnpackerConfig()
          .withStringSizeLimit(MAX_CALL_BYTES)
          .withActionOnMalformedString(CodingErrorAction.REPORT);

  /** Reads a call: its name is its type. */
  @SuppressWarnings("unchecked") // the keys of a map that was read are texts
  static Fields read(byte[] payload) throws IOException {
    try (MessageUnpacker in = UNPACKER.newUnpacker(payload)) {
      Object call = read(in, payload.length, 0);
      if (in.hasNext()) {
        throw new Fault("call: %d bytes too many", payload.length - in.getTotalReadBytes());
      }
      if (call instanceof Map<?, ?> map && map.get("type") instanceof String type) {
        return new Fields(null, type, (Map<String, Object>) map);
      }
      throw new Fault("a call is a map with a type, not %s", shown(call));
    } catch (MessagePackException error) {
      throw new Fault("call: no MessagePack: %s", error);
    }
  }

  private static Object read(MessageUnpacker in, int size, int depth) throws IOException {
    switch (in.getNextFormat().getValueType()) {
      case NIL -> in.unpackNil();
      case BOOLEAN -> {
        return in.unpackBoolean();
      }
      case INTEGER -> {
        return in.unpackLong();
      }
      case STRING -> {
        return in.unpackString();
      }
      case ARRAY -> {
        int length = counted(in.unpackArrayHeader(), in, size, depth);
        List<Object> list = new ArrayList<>(length);
        while (list.size() < length) {
          list.add(read(in, size, depth + 1));
        }
        return list;
      }
      case MAP -> {
        int length = counted(in.unpackMapHeader(), in, size, depth);
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < length; i++) {
          map.put(in.unpackString(), read(in, size, depth + 1));
        }
        return map;
      }
      default -> throw new Fault("call: a float, binary data or an extension");
    }
    return null;
  }

  private static int counted(int length, MessageUnpacker in, int size, int depth) {
    if (length > size - in.getTotalReadBytes() || depth >= MAX_DEPTH) {
      throw new Fault("call: a list or map that is cut off, or more than %d deep", MAX_DEPTH);
    }
    return length;
  }

  /** Writes a reply; an invalid value is named by its path. */
  static byte[] write(String kind, Map<String, Object> reply) throws IOException {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      write(out, kind, reply, 0);
      byte[] payload = out.toByteArray();
      if (payload.length > MAX_REPLY_BYTES) {
        throw new Fault("%s: %d bytes; the limit is %d", kind, payload.length, MAX_REPLY_BYTES);
      }
      return payload;
    }
  }

  private static void write(MessageBufferPacker out, String path, Object value, int depth)
      throws IOException {
    boolean isWhole = value instanceof Long || value instanceof Integer;
    if (depth > MAX_DEPTH) {
      throw new Fault("%s: more than %d maps and lists in one another", path, MAX_DEPTH);
    } else if (value instanceof Boolean truth) {
      out.packBoolean(truth);
    } else if (isWhole && Math.abs(((Number) value).longValue()) <= MAX_INTEGER) {
      out.packLong(((Number) value).longValue());
    } else if (value instanceof String text
        && StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      out.packString(text);
    } else if (value instanceof Bot.Move move) {
      write(out, path, move.fields(), depth);
    } else if (value instanceof List<?> list) {
      out.packArrayHeader(list.size());
      for (int i = 0; i < list.size(); i++) {
        write(out, path + "[" + i + "]", list.get(i), depth + 1);
      }
    } else if (value instanceof Map<?, ?> map && !map.isEmpty()) {
      out.packMapHeader(map.size());
      for (Object key : map.keySet().stream().sorted().toList()) { // the same in every run
        if (!(key instanceof String name)) {
          throw new Fault("%s: a name is a String, not %s", path, shown(key));
        }
        write(out, path, name, depth);
        write(out, path + "." + name, map.get(name), depth + 1);
      }
    } else {
      throw new Fault("%s: cannot be sent: %s", path, shown(value));
    }
  }

  // ---- ZMTP 3.0

  /** The connection to the referee. */
  static final class Link {
    private static final int MORE = 1;
    private static final int LONG = 2;
    private static final int COMMAND = 4;
    private static final int GREETING = 64;
    private static final int HEADER = 9;

    private final SocketChannel channel;
    private final ByteBuffer in = ByteBuffer.allocateDirect(MAX_REPLY_BYTES).limit(0);
    private int flags; // of the frame that was read last

    Link(String endpoint) {
      channel = dialled(endpoint);
      ByteBuffer greeting = ByteBuffer.allocate(GREETING).put(0, (byte) 0xff).put(9, (byte) 0x7f);
      write(greeting.put(10, (byte) 3).put(12, bytes("NULL")));
      byte[] peer = next(GREETING);
      boolean isNull = Arrays.equals(peer, 12, 32, greeting.array(), 12, 32);
      if (peer[0] != (byte) 0xff || (peer[9] & 1) == 0 || peer[10] < 3 || !isNull) {
        throw new Fault("the referee does not speak ZMTP 3 with the mechanism NULL");
      }
      send(COMMAND, bytes("\5READY\13Socket-Type\0\0\0\6DEALER"));
      if (!begins(frame(), "\5READY") || (flags & COMMAND) == 0) {
        throw new Fault("READY was expected from the referee");
      }
    }

    /** Returns the next message. */
    byte[] message() {
      byte[] body = frame();
      for (; (flags & COMMAND) != 0; body = frame()) {
        if (begins(body, "\4PING") && body.length >= 7 && body.length <= 7 + 16) {
          // The context stands behind the name and two bytes of time to live.
          byte[] pong = Arrays.copyOfRange(body, 2, body.length);
          System.arraycopy(bytes("\4PONG"), 0, pong, 0, 5);
          send(COMMAND, pong);
        }
      }
      if ((flags & MORE) != 0) {
        throw new Fault("a message of several frames: a message is one frame");
      }
      return body;
    }

    void send(byte[] message) {
      send(0, message);
    }

    private void send(int kind, byte[] body) {
      ByteBuffer frame = ByteBuffer.allocate(HEADER + body.length);
      if (body.length < 256) {
        frame.put((byte) kind).put((byte) body.length);
      } else {
        frame.put((byte) (kind | LONG)).putLong(body.length);
      }
      write(frame.put(body).flip());
    }

    private byte[] frame() {
      flags = next(1)[0];
      boolean isLong = (flags & LONG) != 0;
      long size = isLong ? ByteBuffer.wrap(next(8)).getLong() : next(1)[0] & 0xff;
      if (flags < 0 || flags > (MORE | LONG | COMMAND) || size < 0 || size > MAX_CALL_BYTES) {
        throw new Fault(
            "a call of %s bytes (flags %02x); the limit is %d",
            Long.toUnsignedString(size), flags & 0xff, MAX_CALL_BYTES);
      }
      return next((int) size);
    }

    private byte[] next(int size) {
      byte[] bytes = new byte[size];
      for (int got = 0; got < size; ) {
        if (!in.hasRemaining()) {
          fill();
        }
        int part = Math.min(size - got, in.remaining());
        in.get(bytes, got, part);
        got += part;
      }
      return bytes;
    }

    private void fill() {
      int got;
      try {
        got = channel.read(in.clear());
      } catch (IOException error) { // a reset
        got = -1;
      }
      if (got < 0) {
        throw new Fault("the connection to the referee is closed");
      }
      in.flip();
    }

    private void write(ByteBuffer data) {
      try {
        while (data.hasRemaining()) {
          channel.write(data);
        }
      } catch (IOException error) {
        // The referee is gone; the next reads return its last bytes and then the end.
      }
    }

    private static SocketChannel dialled(String endpoint) {
      int colon = endpoint.lastIndexOf(':');
      try {
        if (endpoint.startsWith("ipc://")) {
          return SocketChannel.open(UnixDomainSocketAddress.of(endpoint.substring(6)));
        } else if (endpoint.startsWith("tcp://")) {
          int port = Integer.parseInt(endpoint.substring(colon + 1));
          String host = endpoint.substring(6, Math.max(6, colon));
          SocketChannel channel = SocketChannel.open(new InetSocketAddress(host, port));
          return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
      } catch (IOException | IllegalArgumentException error) {
        throw new Fault("cannot connect to the referee at %s: %s", endpoint, error);
      }
      throw new Fault("ARENA_ENDPOINT: ipc://PATH or tcp://IP:PORT, not %s", endpoint);
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static boolean begins(byte[] body, String with) {
      byte[] start = bytes(with);
      return body.length >= start.length
          && Arrays.equals(body, 0, start.length, start, 0, start.length);
    }
  }
}
