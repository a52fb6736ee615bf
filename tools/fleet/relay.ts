import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listening } from './loopback-ports';

/**
 * How far a request has come: half of it has reached the server (`sending`), all of it has (`working`), or its answer
 * has reached the relay and is not passed on (`answering`).
 */
export type Moment = 'sending' | 'working' | 'answering';

export type Relay = Awaited<ReturnType<typeof startRelay>>;

/**
 * The network between a kiosk and its servers, as one port of loopback. Passes HTTP requests with a `Content-Length` on
 * to one of these ports of loopback: the next one in turn that accepts a connection, as a load balancer does.
 */
export async function startRelay(targets: readonly number[]) {
  const open = new Set<Socket>();
  let isCut = false;
  let turn = 0;
  let lostAnswers = 0;
  let awaited: { readonly moment: Moment; readonly act: () => void } | null = null;

  /** Returns the `act` that waits for this moment, once. */
  function take(moment: Moment): (() => void) | null {
    if (awaited?.moment !== moment) return null;
    const { act } = awaited;
    awaited = null;
    return act;
  }

  const kept = (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // Errors are ignored, because `close` follows.
    socket.on('error', () => {});
    return socket;
  };

  async function connected(): Promise<Socket | null> {
    for (let tries = targets.length; tries > 0; tries -= 1) {
      turn = (turn + 1) % targets.length;
      const socket = kept(connect(targets[turn] ?? 0, '127.0.0.1'));
      const isThere = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (isThere) return socket;
    }
    return null;
  }

  async function serve(kiosk: Socket): Promise<void> {
    const server = await connected();
    if (server === null || kiosk.destroyed) {
      server?.destroy();
      kiosk.destroy();
      return;
    }
    const lose = () => {
      server.destroy();
      kiosk.destroy();
    };
    kiosk.once('close', () => server.destroy());
    server.once('close', () => kiosk.end());
    server.on('data', (answer: Buffer) => {
      const act = take('answering');
      if (act === null) {
        kiosk.write(answer);
        return;
      }
      if (answer.toString('latin1', 0, 12) === 'HTTP/1.1 200') lostAnswers += 1;
      act();
      lose();
    });
    const passOn = (request: Buffer) => {
      const cutOff = take('sending');
      if (cutOff === null) {
        server.write(request, () => take('working')?.());
        return;
      }
      server.write(request.subarray(0, request.length / 2), () => {
        cutOff();
        lose();
      });
    };
    let read = Buffer.alloc(0);
    kiosk.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      const length = requestLength(read);
      if (length === null || read.length < length) return;
      passOn(read.subarray(0, length));
      read = read.subarray(length);
    });
  }

  const listener = await listening(
    createServer((kiosk) => {
      if (isCut) kiosk.destroy();
      else void serve(kept(kiosk));
    }),
  );
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };

  return {
    port: listener.port,
    /** Closes all connections, and new ones at once until `join`. */
    cut: () => {
      isCut = true;
      cutAll();
    },
    join: () => {
      isCut = false;
    },
    /**
     * Calls `act` once, when the next request has come that far. At `sending` and `answering` the connection is closed
     * afterwards. Returns a function that cancels it.
     */
    at: (moment: Moment, act: () => void) => {
      const mine = { moment, act };
      awaited = mine;
      return () => {
        if (awaited === mine) awaited = null;
      };
    },
    /** Number of answers with status 200 that were lost: their segments are sent again. */
    lostAnswers: () => lostAnswers,
    close: async () => {
      cutAll();
      await listener[Symbol.asyncDispose]();
    },
  };
}

/** Length of the request that begins here, bytes; null: its head is incomplete. */
function requestLength(read: Buffer): number | null {
  const head = read.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const [, body = '0'] = /^content-length:\s*(\d+)/im.exec(read.toString('latin1', 0, head)) ?? [];
  return head + 4 + Number(body);
}
