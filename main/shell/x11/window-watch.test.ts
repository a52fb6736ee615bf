import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WindowFact, watchX11Window } from './window-watch';
import { raiseRequest, watchRequest } from './x11-messages';

const WINDOW = 0x200003;
const DISPLAY = { root: 0x1dd, idMask: 0x1fffff };

function event(code: number, told = WINDOW, subject = WINDOW): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt32LE(told, 4);
  bytes.writeUInt32LE(subject, 8);
  return bytes;
}

function welcome(): Buffer {
  const answer = Buffer.alloc(80);
  answer.writeUInt8(1, 0);
  answer.writeUInt16LE((answer.length - 8) / 4, 6);
  answer.writeUInt32LE(DISPLAY.idMask, 16);
  answer.writeUInt32LE(DISPLAY.root, 40);
  return answer;
}

/** A display that lets in whoever shows this cookie, or anybody. */
async function display(cookie: string | null) {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-x11-'));
  const tried: string[] = [];
  const asked: Buffer[] = [];
  let client: Socket | null = null;
  let isLeft = false;
  const server = createServer((socket) => {
    // It may be left in the middle of a word.
    socket.on('error', () => {});
    socket.once('data', (first) => {
      // The last padding taken off.
      const shown = first.subarray(32).toString('latin1');
      tried.push(shown);
      if (cookie !== null && shown !== cookie) {
        socket.write(Buffer.alloc(8));
        return;
      }
      client = socket;
      socket.on('close', () => {
        isLeft = true;
      });
      socket.on('data', (bytes) => asked.push(bytes));
      // In two pieces.
      socket.write(welcome().subarray(0, 30));
      setImmediate(() => socket.write(welcome().subarray(30)));
    });
  });
  await new Promise<void>((open) => server.listen(join(folder, 'X7'), open));
  onTestFinished(async () => {
    client?.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  const authority = join(folder, 'Xauthority');
  const counted = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
  const entry = (secret: string) =>
    Buffer.concat([Buffer.from([1, 0]), ...['host', '7', 'MIT-MAGIC-COOKIE-1', secret].map(counted)]);
  await writeFile(authority, Buffer.concat([entry('an old one......'), entry('the right one...')]));
  return {
    folder,
    tried,
    asked: () => Buffer.concat(asked),
    isLeft: () => isLeft,
    send: (...events: readonly Buffer[]) => client?.write(Buffer.concat(events)),
    environment: { DISPLAY: ':7.0', XAUTHORITY: authority },
  };
}

describe('a window on an X display', () => {
  it('is watched with the cookie that opens it, and raised when asked to', async () => {
    const x = await display('the right one...');
    const told: WindowFact[] = [];
    const watch = watchX11Window(WINDOW, x.environment, (fact) => told.push(fact), x.folder);
    const request = watchRequest(WINDOW, DISPLAY);
    await vi.waitFor(() => expect(x.asked()).toEqual(request));
    expect(x.tried).toEqual(['an old one......', 'the right one...']);
    x.send(event(18), event(19), event(22, DISPLAY.root, 0x400001), event(17));
    await vi.waitFor(() =>
      expect(told).toEqual(['unmapped', 'mapped', 'restacked', 'destroyed'].map((type) => ({ type }))),
    );
    watch.raise();
    await vi.waitFor(() => expect(x.asked()).toEqual(Buffer.concat([request, raiseRequest(WINDOW)])));
    watch.end();
  });

  it('needs no cookie where the display asks for none', async () => {
    const x = await display(null);
    const told: WindowFact[] = [];
    const watch = watchX11Window(WINDOW, { DISPLAY: ':7' }, (fact) => told.push(fact), x.folder);
    await vi.waitFor(() => expect(x.asked().length).toBeGreaterThan(0));
    x.send(event(17));
    await vi.waitFor(() => expect(told).toEqual([{ type: 'destroyed' }]));
    watch.end();
  });

  it('is left alone where the display knows no such window', async () => {
    const x = await display(null);
    const told: WindowFact[] = [];
    watchX11Window(WINDOW, x.environment, (fact) => told.push(fact), x.folder);
    await vi.waitFor(() => expect(x.asked().length).toBeGreaterThan(0));
    x.send(Buffer.alloc(32));
    await vi.waitFor(() => expect(x.isLeft()).toBe(true));
    expect(told).toEqual([]);
  });

  it('is left alone at the end, and raising it then does nothing, nor where there is no display', async () => {
    const x = await display(null);
    const told: WindowFact[] = [];
    const watch = watchX11Window(WINDOW, x.environment, (fact) => told.push(fact), x.folder);
    await vi.waitFor(() => expect(x.asked().length).toBeGreaterThan(0));
    watch.end();
    watch.raise();
    await vi.waitFor(() => expect(x.isLeft()).toBe(true));
    watchX11Window(WINDOW, {}, (fact) => told.push(fact), x.folder).raise();
    watchX11Window(WINDOW, { DISPLAY: ':8' }, (fact) => told.push(fact), x.folder).end();
    expect(told).toEqual([]);
  });
});
