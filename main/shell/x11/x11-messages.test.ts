import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cookiesFor,
  raiseRequest,
  readMessages,
  readSetUpAnswer,
  setUpRequest,
  watchRequest,
} from './x11-messages';

const WINDOW = 0x200003;
/** An event: code, the window that is told, the window it happened to. */
const event = (code: number, window = WINDOW, subject = window) => {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt32LE(window, 4);
  bytes.writeUInt32LE(subject, 8);
  return bytes;
};
const ROOT = 0x1dd;
const DISPLAY = { root: ROOT, idMask: 0x1fffff };
const read = (bytes: Buffer) => readMessages(bytes, WINDOW, DISPLAY);

describe('the words of the X protocol', () => {
  it('show the cookie by its name, padded to four bytes', () => {
    const request = setUpRequest(Buffer.from('0123456789abcdef'));
    expect(request.length).toBe(12 + 20 + 16);
    expect(request.subarray(0, 12).toString('hex')).toBe('6c000b000000120010000000');
    expect(request.toString('latin1')).toContain('MIT-MAGIC-COOKIE-1\0\x000123456789abcdef');
    expect(setUpRequest(null).length).toBe(12);
  });

  it('wait for the whole answer, find the root in it, and keep what came after', () => {
    // A vendor of five letters, and two formats of pixels.
    const answer = Buffer.alloc(40 + 8 + 16 + 40);
    answer.writeUInt8(1, 0);
    answer.writeUInt16LE((answer.length - 8) / 4, 6);
    answer.writeUInt32LE(0x1fffff, 16);
    answer.writeUInt16LE(5, 24);
    answer.writeUInt8(2, 29);
    answer.writeUInt32LE(ROOT, 64);
    expect(readSetUpAnswer(answer.subarray(0, -1))).toBeNull();
    const whole = readSetUpAnswer(Buffer.concat([answer, Buffer.from('next')]));
    expect(whole?.display).toEqual(DISPLAY);
    expect(whole?.rest.toString()).toBe('next');
    answer.writeUInt8(0, 0);
    expect(readSetUpAnswer(answer)?.display).toBeNull();
  });

  it('ask for what happens to the window, and to those around it', () => {
    expect(watchRequest(WINDOW, DISPLAY).toString('hex')).toBe(
      '02000400030020000008000000000200' + '02000400dd0100000008000000000800',
    );
  });

  it('put the window above all others', () => {
    expect(raiseRequest(WINDOW).toString('hex')).toBe('0c000400030020004000000000000000');
  });

  it('tell what happened to it, whoever sent it, and nothing of what is in it', () => {
    const bytes = Buffer.concat([
      event(18),
      event(19 | 0x80),
      event(18, WINDOW, 0x200009),
      event(22),
      event(17, 0x200009),
      event(17),
    ]);
    expect(read(bytes).messages).toEqual([{ type: 'unmapped' }, { type: 'mapped' }, { type: 'destroyed' }]);
  });

  it('tell that others came over it or it was lowered, but for windows of the same program', () => {
    const others = [19, 22, 26].map((code) => event(code, ROOT, 0x400001));
    expect(read(Buffer.concat(others)).messages).toEqual(others.map(() => ({ type: 'restacked' })));
    expect(read(event(22, ROOT, WINDOW)).messages).toEqual([{ type: 'restacked' }]);
    const own = [event(19, ROOT, WINDOW), event(19, ROOT, 0x200050), event(22, ROOT, 0x200050)];
    expect(read(Buffer.concat([...own, event(17, ROOT, 0x400001)])).messages).toEqual([]);
  });

  it('tell of a request that was refused, and step over answers of any length', () => {
    const reply = Buffer.alloc(32 + 4 * 2, 18);
    reply.writeUInt8(1, 0);
    reply.writeUInt32LE(2, 4);
    const bytes = Buffer.concat([reply, Buffer.alloc(32), event(19)]);
    expect(read(bytes).messages).toEqual([{ type: 'refused' }, { type: 'mapped' }]);
  });

  it('are read alike however the bytes arrive in pieces', () => {
    const bytes = Buffer.concat([event(18), event(22, ROOT, 0x400001), event(17)]);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
        const told: unknown[] = [];
        let rest: Buffer = Buffer.alloc(0);
        const edges = [0, ...[...cuts].sort((one, other) => one - other), bytes.length];
        edges.forEach((edge, index) => {
          const piece = read(Buffer.concat([rest, bytes.subarray(edge, edges[index + 1] ?? edge)]));
          told.push(...piece.messages);
          rest = piece.rest;
        });
        expect(told).toEqual(read(bytes).messages);
        expect(rest.length).toBe(0);
      }),
    );
  });
});

describe('the cookies of a display', () => {
  const counted = (text: string) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(text.length, 0);
    return Buffer.concat([length, Buffer.from(text, 'latin1')]);
  };
  const entry = (number: string, name: string, cookie: string) =>
    Buffer.concat([Buffer.from([1, 0]), ...['a-host', number, name, cookie].map(counted)]);
  const COOKIE = 'MIT-MAGIC-COOKIE-1';

  it('are those of its number or of any, and of the one kind we know', () => {
    const file = Buffer.concat([
      entry('1', COOKIE, 'of another'),
      entry('0', COOKIE, 'of this one'),
      entry('', COOKIE, 'of any'),
      entry('0', 'XDM-AUTHORIZATION-1', 'unknown'),
    ]);
    expect(cookiesFor('0', file).map(String)).toEqual(['of this one', 'of any']);
  });

  it('are those before the place where a file is cut off', () => {
    const file = Buffer.concat([entry('0', COOKIE, 'whole'), entry('0', COOKIE, 'cut off')]);
    for (let cut = file.length - 1; cut > file.length - 20; cut -= 1)
      expect(cookiesFor('0', file.subarray(0, cut)).map(String)).toEqual(['whole']);
  });
});
