import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort, listening } from './loopback-ports';
import { startRelay } from './relay';

/** A server that keeps the complete bodies, and counts the incomplete ones. */
async function receiver() {
  const taken: string[] = [];
  let broken = 0;
  const server = createServer(async (request, response) => {
    try {
      taken.push(await text(request));
      response.end('taken');
    } catch {
      broken += 1;
    }
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  onTestFinished(close);
  return { taken, broken: () => broken, port };
}

async function relayTo(...ports: number[]) {
  const relay = await startRelay(ports);
  onTestFinished(relay.close);
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${relay.port}/`, { method: 'POST', body }).then(
      (answer) => answer.text(),
      () => 'lost',
    );
  return { ...relay, post };
}

describe('the relay between kiosk and server', () => {
  it('forwards requests and answers', async () => {
    const server = await receiver();
    const { post } = await relayTo(server.port);
    expect(await post('a'.repeat(300_000))).toBe('taken');
    expect(await post('b')).toBe('taken');
    expect(server.taken.map((body) => body.length)).toEqual([300_000, 1]);
  });

  it('loses a half-sent request once', async () => {
    const server = await receiver();
    const { post, at, lostAnswers } = await relayTo(server.port);
    let struck = 0;
    at('sending', () => (struck += 1));
    expect(await post('half'.repeat(10_000))).toBe('lost');
    await expect.poll(server.broken).toBe(1);
    expect(await post('next')).toBe('taken');
    expect([server.taken, struck, lostAnswers()]).toEqual([['next'], 1, 0]);
  });

  it('acts during a request of the server, and lets it continue', async () => {
    const server = await receiver();
    const { post, at } = await relayTo(server.port);
    let struck = 0;
    at('working', () => (struck += 1));
    expect(await post('whole')).toBe('taken');
    expect(struck).toBe(1);
  });

  it('loses an answer, so that the kiosk repeats a request that the server has processed', async () => {
    const server = await receiver();
    const { post, at, lostAnswers } = await relayTo(server.port);
    at('answering', () => {});
    expect(await post('twice')).toBe('lost');
    expect(await post('twice')).toBe('taken');
    expect([server.taken, lostAnswers()]).toEqual([['twice', 'twice'], 1]);
  });

  it('refuses everything while it is cut', async () => {
    const server = await receiver();
    const { post, at, cut, join } = await relayTo(server.port);
    at('sending', cut);
    expect(await post('half')).toBe('lost');
    expect(await post('cut')).toBe('lost');
    join();
    expect(await post('back')).toBe('taken');
    expect(server.taken).toEqual(['back']);
  });

  it('uses the next server if one is down, and stops acting when cancelled', async () => {
    const server = await receiver();
    const { post, at } = await relayTo(await freePort(), server.port);
    at('sending', () => {})();
    expect(await post('one')).toBe('taken');
    expect(await post('two')).toBe('taken');
  });
});
