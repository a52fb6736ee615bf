/**
 * The few words of the X protocol (version 11) that it takes to be told what
 * happens to a window of our own: set-up, one request, and the events after it.
 * Numbers are little-endian, as the first byte of the set-up asks for.
 */

/** Something that the display says of the window, or of our asking for it. */
export type X11Message =
  | { readonly type: 'mapped' | 'unmapped' | 'destroyed' }
  /** A window of another program was shown, moved or raised, or ours was lowered: something may lie over it. */
  | { readonly type: 'restacked' }
  /** A request was not granted: there is no such window. */
  | { readonly type: 'refused' };

/** What the display says of itself once it has let us in. */
export interface X11Display {
  /** The window that all others lie in. */
  readonly root: number;
  /** The bits of a window's number that are not its program's. */
  readonly idMask: number;
}

const MIT_COOKIE = 'MIT-MAGIC-COOKIE-1';
const LITTLE_ENDIAN = 0x6c;
const CHANGE_WINDOW_ATTRIBUTES = 2;
const CONFIGURE_WINDOW = 12;
const EVENT_MASK = 1 << 11;
const STACK_MODE = 1 << 6;
const ABOVE = 0;
const STRUCTURE_NOTIFY = 1 << 17;
const SUBSTRUCTURE_NOTIFY = 1 << 19;
const MESSAGE_BYTES = 32;
const REPLY = 1;

/** The first thing a client says. `cookie` null: nothing to show. */
export function setUpRequest(cookie: Buffer | null): Buffer {
  const name = Buffer.from(cookie === null ? '' : MIT_COOKIE, 'latin1');
  const secret = cookie ?? Buffer.alloc(0);
  const head = Buffer.alloc(12);
  head.writeUInt8(LITTLE_ENDIAN, 0);
  head.writeUInt16LE(11, 2);
  head.writeUInt16LE(name.length, 6);
  head.writeUInt16LE(secret.length, 8);
  return Buffer.concat([head, padded(name), padded(secret)]);
}

/** Its answer; null while it is not whole. `display` null: we are not let in. `rest`: what came after it. */
export function readSetUpAnswer(
  bytes: Buffer,
): { readonly display: X11Display | null; readonly rest: Buffer } | null {
  if (bytes.length < 8) return null;
  const length = 8 + 4 * bytes.readUInt16LE(6);
  if (bytes.length < length) return null;
  const rest = bytes.subarray(length);
  if (bytes.readUInt8(0) !== 1) return { display: null, rest };
  const vendor = bytes.readUInt16LE(24);
  const formats = bytes.readUInt8(29);
  const root = bytes.readUInt32LE(40 + vendor + padding(vendor) + 8 * formats);
  return { display: { root, idMask: bytes.readUInt32LE(16) }, rest };
}

/** Asks to be told of what happens to a window, and of what happens to those around it. */
export function watchRequest(window: number, { root }: X11Display): Buffer {
  return Buffer.concat([
    changeRequest(CHANGE_WINDOW_ATTRIBUTES, window, EVENT_MASK, STRUCTURE_NOTIFY),
    changeRequest(CHANGE_WINDOW_ATTRIBUTES, root, EVENT_MASK, SUBSTRUCTURE_NOTIFY),
  ]);
}

/** Puts a window above those around it; a window manager is asked for it. */
export function raiseRequest(window: number): Buffer {
  return changeRequest(CONFIGURE_WINDOW, window, STACK_MODE, ABOVE);
}

/** Gives one thing of a window, named by its bit, a value. */
function changeRequest(code: number, window: number, what: number, value: number): Buffer {
  const request = Buffer.alloc(16);
  request.writeUInt8(code, 0);
  request.writeUInt16LE(request.length / 4, 2);
  request.writeUInt32LE(window, 4);
  request.writeUInt32LE(what, 8);
  request.writeUInt32LE(value, 12);
  return request;
}

/** The whole messages among these bytes, as far as they concern the window; `rest` waits for more. */
export function readMessages(
  bytes: Buffer,
  window: number,
  display: X11Display,
): { readonly messages: readonly X11Message[]; readonly rest: Buffer } {
  const messages: X11Message[] = [];
  let rest = bytes;
  while (rest.length >= MESSAGE_BYTES) {
    const length = MESSAGE_BYTES + (rest.readUInt8(0) === REPLY ? 4 * rest.readUInt32LE(4) : 0);
    if (rest.length < length) break;
    const message = messageIn(rest, window, display);
    if (message !== null) messages.push(message);
    rest = rest.subarray(length);
  }
  return { messages, rest };
}

const OWN_EVENTS = { 17: 'destroyed', 18: 'unmapped', 19: 'mapped' } as const;
/** Mapped, configured (moved, resized, raised), circulated. */
const RESTACKING = new Set([19, 22, 26]);

function messageIn(bytes: Buffer, window: number, { root, idMask }: X11Display): X11Message | null {
  // The highest bit only says that another client sent it.
  const code = bytes.readUInt8(0) & 0x7f;
  if (code === 0) return { type: 'refused' };
  const toldOf = bytes.readUInt32LE(4);
  const subject = bytes.readUInt32LE(8);
  if (toldOf === window && subject === window) {
    const type = OWN_EVENTS[code as keyof typeof OWN_EVENTS];
    return type === undefined ? null : { type };
  }
  if (toldOf !== root || !RESTACKING.has(code)) return null;
  // A list that a page unfolds is a window of the same program, and belongs over it.
  const isOfSameProgram = (subject & ~idMask) === (window & ~idMask);
  return isOfSameProgram && (subject !== window || code === 19) ? null : { type: 'restacked' };
}

/**
 * The cookies that open a display, from the bytes of an Xauthority file; a cut-off
 * last entry is left out.
 *
 * @param display its number, such as `0`
 */
export function cookiesFor(display: string, authority: Buffer): Buffer[] {
  const cookies: Buffer[] = [];
  let at = 0;
  const counted = (): Buffer | null => {
    if (at + 2 > authority.length) return null;
    const from = at + 2;
    const to = from + authority.readUInt16BE(at);
    at = to;
    return to > authority.length ? null : authority.subarray(from, to);
  };
  while (at < authority.length) {
    // The family of addresses, and the address: whoever is on this machine may try.
    at += 2;
    const [address, number, name, cookie] = [counted(), counted(), counted(), counted()];
    if (!address || !number || !name || !cookie) break;
    const isOurs = number.length === 0 || number.toString('latin1') === display;
    if (isOurs && name.toString('latin1') === MIT_COOKIE) cookies.push(cookie);
  }
  return cookies;
}

function padded(value: Buffer): Buffer {
  return Buffer.concat([value, Buffer.alloc(padding(value.length))]);
}

/** Bytes to the next multiple of four. */
function padding(length: number): number {
  return (4 - (length % 4)) % 4;
}
