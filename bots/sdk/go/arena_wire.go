// The wire of protocol 1: MessagePack, and ZMTP 3.0 (NULL, a DEALER's end) written out. Of the ZeroMQ
// libraries pebbe/zmq4 needs cgo and libzmq to build, and go-zeromq/zmq4 hands commands on as
// messages, allocates the size in a frame's header, and sends a reply in two writes.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// A wireError is for the bot's author: it ends the process without a stack trace.
type wireError string

func (err wireError) Error() string { return string(err) }

func wireFail(format string, arguments ...any) {
	panic(wireError(fmt.Sprintf(format, arguments...)))
}

// wireCheck fails with an error that begins with a path below `root`, or with ": ".
func wireCheck(root string, err error) {
	if err != nil {
		panic(wireError(root + err.Error()))
	}
}

// ---- Values

// wireRead decodes one message, strictly as SPEC.md has it.
func wireRead(payload []byte) (any, error) {
	in := bytes.NewReader(payload)
	value, err := wireValue(msgpack.NewDecoder(in), in, 0)
	if err == nil && in.Len() > 0 {
		err = wireError(fmt.Sprintf(": %d bytes too many", in.Len()))
	}
	return value, err
}

func wireValue(from *msgpack.Decoder, in *bytes.Reader, depth int) (value any, err error) {
	code, err := from.PeekCode()
	switch {
	case err != nil:
	case code == msgpcode.Nil:
		err = from.DecodeNil()
	case code == msgpcode.False || code == msgpcode.True:
		value, err = from.DecodeBool()
	case msgpcode.IsString(code):
		var text string
		if text, err = from.DecodeString(); err == nil && !utf8.ValidString(text) {
			err = errors.New("text that is not UTF-8")
		}
		value = text
	case msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32:
		return wireList(from, in, depth+1)
	case msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32:
		return wireMap(from, in, depth+1)
	default:
		value, err = wireInteger(from, code)
	}
	if err != nil {
		err = wireError(fmt.Sprintf(": %v", err))
	}
	return value, err
}

func wireInteger(from *msgpack.Decoder, code byte) (int64, error) {
	number, err := from.DecodeInt64()
	isUnsigned := code == msgpcode.Uint64
	switch {
	case err != nil && code >= msgpcode.Bin8 && code <= msgpcode.Double || code == 0xC1:
		err = fmt.Errorf("a float, binary data or an extension (%02x), which no message may have", code)
	case err == nil && (number > MaxInteger || number < -MaxInteger || isUnsigned && number < 0):
		err = errors.New("an integer outside +-2^53")
	}
	return number, err
}

func wireList(from *msgpack.Decoder, in *bytes.Reader, depth int) (any, error) {
	length, err := from.DecodeArrayLen()
	if err != nil || length > in.Len() || depth > MaxDepth {
		return nil, wireError(": a list that is cut off or too deep")
	}
	list := make([]any, length)
	for i := range list {
		if list[i], err = wireValue(from, in, depth); err != nil {
			return nil, wireError(fmt.Sprintf("[%d]%v", i, err))
		}
	}
	return list, nil
}

func wireMap(from *msgpack.Decoder, in *bytes.Reader, depth int) (any, error) {
	length, err := from.DecodeMapLen()
	if err != nil || length > in.Len() || depth > MaxDepth {
		return nil, wireError(": a map that is cut off or too deep")
	}
	fields := make(Fields, length)
	for i := 0; i < length; i++ {
		key, err := wireValue(from, in, depth)
		name, isText := key.(string)
		if err != nil || !isText {
			return nil, wireError(": a map with a name that is no text")
		}
		if fields[name], err = wireValue(from, in, depth); err != nil {
			return nil, wireError("." + name + err.Error())
		}
	}
	if length == 0 || len(fields) < length {
		return nil, wireError(": a map that is empty or has a name twice")
	}
	return fields, nil
}

// wireFill sets a typed value. A nil leaves pointers and fields marked omitempty as they are.
func wireFill(to reflect.Value, from any) error {
	switch source := reflect.ValueOf(from); to.Kind() {
	case reflect.Pointer:
		if from == nil {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return wireFill(to.Elem(), from)
	case reflect.Struct:
		if fields, ok := from.(Fields); ok {
			return wireFillStruct(to, fields)
		}
	case reflect.Slice, reflect.Array:
		list, ok := from.([]any)
		if ok && (to.Kind() == reflect.Slice || to.Len() == len(list)) {
			return wireFillList(to, list)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if number, ok := from.(int64); ok && !to.OverflowInt(number) {
			to.SetInt(number)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if number, ok := from.(int64); ok && number >= 0 && !to.OverflowUint(uint64(number)) {
			to.SetUint(uint64(number))
			return nil
		}
	default:
		if from != nil && source.Type().AssignableTo(to.Type()) {
			to.Set(source)
			return nil
		}
	}
	return wireError(fmt.Sprintf(": %v expected, not %s", to.Type(), wireShown(from)))
}

func wireShown(value any) string {
	if value == nil {
		return "nothing"
	}
	return fmt.Sprintf("%.100s", fmt.Sprintf("%#v", value))
}

func wireFillStruct(to reflect.Value, fields Fields) error {
	for i := 0; i < to.NumField(); i++ {
		name, options, _ := strings.Cut(to.Type().Field(i).Tag.Get("msgpack"), ",")
		if fields[name] == nil && options == "omitempty" {
			continue
		}
		if err := wireFill(to.Field(i), fields[name]); err != nil {
			return wireError("." + name + err.Error())
		}
	}
	return nil
}

func wireFillList(to reflect.Value, list []any) error {
	if to.Kind() == reflect.Slice {
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
	}
	for i, value := range list {
		if err := wireFill(to.Index(i), value); err != nil {
			return wireError(fmt.Sprintf("[%d]%v", i, err))
		}
	}
	return nil
}

// ---- ZMTP 3.0

type wireLink struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
	open string // the call that is open, for messages
}

const wireMore, wireLong, wireCommand = 1, 2, 4 // flags of a frame

func (link *wireLink) dial(endpoint string) {
	scheme, address, _ := strings.Cut(endpoint, "://")
	network, ok := map[string]string{"ipc": "unix", "tcp": "tcp"}[scheme]
	if !ok {
		wireFail("ARENA_ENDPOINT: ipc://PATH or tcp://IP:PORT, not %s", endpoint)
	}
	conn, err := net.Dial(network, address)
	if err != nil {
		wireFail("cannot connect to the referee: %v", err)
	}
	link.conn, link.in = conn, bufio.NewReaderSize(conn, MaxReplyBytes)
	greeting, peer := [64]byte{0: 0xFF, 9: 0x7F, 10: 3, 12: 'N', 'U', 'L', 'L'}, [64]byte{}
	link.write(greeting[:])
	link.read(peer[:])
	if peer[0] != 0xFF || peer[9]&1 == 0 || peer[10] < 3 || !bytes.Equal(peer[12:32], greeting[12:32]) {
		wireFail("the referee does not speak ZMTP 3 with the mechanism NULL")
	}
	link.write([]byte("\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"))
	if flags := link.frame(); flags&wireCommand == 0 || !bytes.HasPrefix(link.body, []byte("\x05READY")) {
		wireFail("READY was expected from the referee")
	}
}

// message returns the next message; its bytes are good until the one after it.
func (link *wireLink) message() []byte {
	flags := link.frame()
	for ; flags&wireCommand != 0; flags = link.frame() {
		if body := link.body; bytes.HasPrefix(body, []byte("\x04PING")) && len(body) >= 7 && len(body) <= 23 {
			pong := append([]byte{wireCommand, byte(len(body) - 2)}, "\x04PONG"...)
			link.write(append(pong, body[7:]...)) // the context, behind two bytes of time to live
		}
	}
	if flags&wireMore != 0 {
		wireFail("a message of several frames: a message is one frame")
	}
	return link.body
}

func (link *wireLink) frame() (flags byte) {
	header := [9]byte{}
	link.read(header[:2])
	size := uint64(header[1])
	if header[0]&wireLong != 0 {
		link.read(header[2:])
		size = binary.BigEndian.Uint64(header[1:])
	}
	if header[0] > wireMore|wireLong|wireCommand || size > MaxCallBytes {
		wireFail("a call of %d bytes (flags %02x); the limit is %d", size, header[0], MaxCallBytes)
	}
	if uint64(cap(link.body)) < size {
		link.body = make([]byte, 2*size)
	}
	link.body = link.body[:size]
	link.read(link.body)
	return header[0]
}

func (link *wireLink) read(into []byte) {
	_, err := io.ReadFull(link.in, into)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		wireFail("the connection to the referee is closed")
	} else if err != nil {
		wireFail("cannot read from the referee: %v", err)
	}
}

func (link *wireLink) send(reply Fields) {
	var out bytes.Buffer
	out.Write(make([]byte, 9)) // room for the header
	to := msgpack.NewEncoder(&out)
	to.UseCompactInts(true)
	to.SetSortMapKeys(true) // the same bytes in every run
	kind := fmt.Sprint(reply["type"])
	if err := to.Encode(reply); err != nil {
		wireFail("%s: cannot be sent: %v", kind, err)
	}
	frame := out.Bytes()
	size := len(frame) - 9
	if size > MaxReplyBytes {
		wireFail("%s: %d bytes; the limit is %d", kind, size, MaxReplyBytes)
	}
	sent, err := wireRead(frame[9:])
	wireCheck(kind, err)
	for field, value := range sent.(Fields) {
		if value == nil {
			wireFail("%s.%s: nothing, where a value is due", kind, field)
		}
	}
	if binary.BigEndian.PutUint64(frame[1:], uint64(size)); size < 256 {
		frame = frame[7:]
		frame[0] = 0
	} else {
		frame[0] = wireLong
	}
	link.write(frame)
}

func (link *wireLink) write(data []byte) {
	_, err := link.conn.Write(data)
	// If the referee is gone, the next reads return its last bytes and then the end.
	if err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		wireFail("cannot write to the referee: %v", err)
	}
}
