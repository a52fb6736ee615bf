import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  cookiesFor,
  raiseRequest,
  readMessages,
  readSetUpAnswer,
  setUpRequest,
  watchRequest,
  type X11Display,
  type X11Message,
} from './x11-messages';

/** What another program on an X display does to a window of ours. */
export type WindowFact = Exclude<X11Message, { readonly type: 'refused' }>;

export interface WindowWatch {
  /** Puts the window above all others, as Chromium does only where there is a window manager. */
  raise(): void;
  end(): void;
}

/** An X server of this machine answers at once, or is no use here, ms. */
const ANSWER_MS = 5_000;

/**
 * Tells what happens to one of our windows on an X display, over a connection of
 * its own: Chromium takes no notice when another program unmaps, covers or destroys
 * it. Where there is no such window (Wayland) or no X display, nothing is ever told.
 *
 * @param window its number on the display
 * @param sockets the folder of the displays' sockets
 */
export function watchX11Window(
  window: number,
  environment: NodeJS.ProcessEnv,
  tell: (fact: WindowFact) => void,
  sockets = '/tmp/.X11-unix',
): WindowWatch {
  const number = /^(?:unix)?\/?:(\d+)(?:\.\d+)?$/.exec(environment.DISPLAY ?? '')?.[1];
  let current: Socket | null = null;
  let ended = false;

  function tryCookie(display: string, [cookie, ...others]: ReadonlyArray<Buffer | null>): void {
    if (ended || cookie === undefined) return;
    const socket = connect(join(sockets, `X${display}`));
    current = socket;
    let opened: X11Display | null = null;
    let bytes: Buffer = Buffer.alloc(0);
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    // A display that goes away takes the window along, which Chromium does notice.
    socket.on('error', () => {});
    socket.once('connect', () => socket.write(setUpRequest(cookie)));
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (opened === null) {
        const answer = readSetUpAnswer(bytes);
        if (answer === null) return;
        if (answer.display === null) {
          socket.destroy();
          tryCookie(display, others);
          return;
        }
        opened = answer.display;
        bytes = answer.rest;
        socket.setTimeout(0);
        socket.write(watchRequest(window, opened));
      }
      const read = readMessages(bytes, window, opened);
      bytes = read.rest;
      for (const message of read.messages) {
        if (ended) return;
        if (message.type === 'refused') socket.destroy();
        else tell(message);
      }
    });
    socket.unref();
  }

  if (number !== undefined) tryCookie(number, [...cookies(number, environment), null]);
  return {
    raise: () => void current?.write(raiseRequest(window)),
    end() {
      ended = true;
      current?.destroy();
    },
  };
}

function cookies(display: string, environment: NodeJS.ProcessEnv): Buffer[] {
  try {
    return cookiesFor(display, readFileSync(environment.XAUTHORITY ?? join(homedir(), '.Xauthority')));
  } catch {
    return [];
  }
}
