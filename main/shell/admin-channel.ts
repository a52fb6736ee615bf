import { app, type Event, type Input, type WebContents, webContents } from 'electron';
import { OVERLAY_CHANNEL } from '../../shared/channels';
import type { Log } from '../../shared/log';
import { holdPort } from '../../shared/rpc';
import type { AdminChannel } from '../admin/admin-parts';
import type { PressedKey } from '../admin/gesture';
import { openPagePort } from './page-port';

/** Input that shows a person's presence; a passing trolley can move the mouse. */
const PRESENCE: ReadonlySet<string> = new Set([
  'mouseDown',
  'mouseWheel',
  'touchStart',
  'gestureTapDown',
  'rawKeyDown',
  'keyDown',
]);
/** Most messages that are buffered until main's half of the overlay listens; further ones are dropped. */
const MOST_EARLY = 32;

/** The overlay's channel, with a method for the shell only. */
export interface OverlayChannel extends AdminChannel {
  /** Input on these contents counts as input on the kiosk window: they lie over it. */
  include(contents: WebContents): void;
}

/**
 * Opens the channel for the overlay's messages and the kiosk window's input; it stays valid when the window is
 * replaced. Open it before the window loads its page, or the page's first calls are lost.
 *
 * @param owns whether these are the kiosk window's own contents, not those of a guest
 */
export function openAdminChannel(owns: (contents: WebContents) => boolean, log: Log): OverlayChannel {
  let onInput = () => {};
  let onKey: (key: PressedKey) => boolean = () => false;
  const port = holdPort(openPagePort(OVERLAY_CHANNEL, owns, log), MOST_EARLY);

  const included = new WeakSet<WebContents>();

  /** Keys that go to a guest, or to a page over the window, count too: the shortcut must work over a link. */
  const isOurs = (contents: WebContents) =>
    owns(contents) ||
    included.has(contents) ||
    (contents.hostWebContents !== null && owns(contents.hostWebContents));

  function watch(contents: WebContents): void {
    contents.on('input-event', (_event, input) => {
      if (PRESENCE.has(input.type) && isOurs(contents)) onInput();
    });
    contents.on('before-input-event', (event: Event, input: Input) => {
      if (input.type === 'keyDown' && isOurs(contents) && onKey(input)) event.preventDefault();
    });
  }
  for (const contents of webContents.getAllWebContents()) watch(contents);
  app.on('web-contents-created', (_event, contents) => watch(contents));

  return {
    ...port,
    include: (contents) => void included.add(contents),
    onInput(listener) {
      onInput = listener;
    },
    onKey(listener) {
      onKey = listener;
    },
  };
}
