import { clipboard } from 'electron';
import type { LinkEvent } from '../../../shared/link';
import { LINK_BUDGET } from '../../egress/egress-proxy';
import { phoneAddress } from '../../native/link-target';
import { LINK_BOUNDS } from '../guests/page-bounds';
import { createPartitionPool, type Visit } from '../guests/partition-pool';
import { LinkFrameSender, type LinkViewParts } from './link-frame-sender';
import { LinkKeyboard } from './link-keyboard';
import { LinkWindows } from './link-windows';
import { finalAddress, qrRows } from './qr-code';
import { restrictDocuments } from './restrict-documents';

/** While one is cleared of a visit's data, the next visit uses the other. */
const PARTITIONS = 2;

/**
 * The shopper's browser for what an ad links to (rule 18): a partition in memory
 * behind the egress policy (rule 22), a way back, and an end after a minute without a
 * touch. Nothing of a visit outlives it. A window that a page opens lies over that page
 * until it closes, so that a sign-in window can reach its opener, and SameSite holds.
 *
 * The page is a view of its own over the window. Electron can place and size such a view, but not turn it; so where
 * the picture is turned, the page is a guest in the kiosk page, and only windows that it opens lie unturned.
 */
export function createLinkView(parts: LinkViewParts) {
  const { send, schedule, log } = parts;
  const pool = createLinkPartitions(parts);
  let onVisit = (_isOpen: boolean, _wayBack: boolean): void => {};
  /** The visit under way; null: nobody is there. */
  let visit: Promise<Visit> | null = null;
  /** Reasons why no visit may begin. Checked on every call, because a tap may arrive after a reason began. */
  const held = new Set<string>();
  const frame = new LinkFrameSender({
    ...parts,
    language: parts.settings.ui.language,
    onOpened: () => onVisit(true, false),
    onIdle: () => leave(false),
  });
  const keyboard = new LinkKeyboard({ ...parts, onField: (field) => frame.showKeyboard(field) });
  const windows = new LinkWindows({ ...parts, frame, keyboard, onLastClosed: () => leave(true) });

  /** A visit has a partition in memory and an egress proxy to itself. */
  async function newVisit(): Promise<Visit> {
    const begun: Visit = await pool.enter({
      egressPolicy: parts.egressPolicy,
      purpose: 'link',
      budget: LINK_BUDGET,
      onFlood() {
        log.warn('a page of the link view flooded the network; it was ended');
        begun.kill();
      },
      onExcess(excess) {
        log.warn('a page of the link view took too much memory; the visit was ended', { ...excess });
        leave(false);
      },
    });
    return begun;
  }

  /** The visit under way, or a new one. */
  function enter(): Promise<Visit> {
    visit ??= newVisit();
    return visit;
  }

  function leave(wayBack: boolean): void {
    if (!frame.end()) return;
    keyboard.hide();
    windows.closeAll();
    clearClipboard();
    send({ frame: null });
    // Where it never began, `enter` has rejected.
    visit?.then(({ leave }) => leave()).catch(() => {});
    visit = null;
    onVisit(false, wayBack);
  }

  async function openPage(url: string): Promise<void> {
    frame.show({ kind: 'page', url, state: 'loading' });
    const entering = enter();
    // It may reject when the next visit has begun, which `begin` would end.
    const here = await entering.catch((error: unknown) => {
      if (visit === entering) throw error;
      return null;
    });
    const { content } = frame;
    if (here === null || visit !== entering || content?.kind !== 'page' || content.url !== url) return; // Left meanwhile.
    windows.open(here, url);
  }

  /** Where the redirects of an address end. */
  async function followed(url: string, entering: Promise<Visit>): Promise<string> {
    const here = await entering;
    return visit === entering ? finalAddress(windows.hidden(here), url, schedule) : url;
  }

  async function continueOnPhone(url: string, title: string | null): Promise<void> {
    frame.show({ kind: 'page', url, state: 'loading' });
    const entering = enter();
    const reached = await followed(url, entering).catch(() => url);
    const isWanted = () => frame.content !== null && visit === entering;
    if (!isWanted()) return;
    const target = phoneAddress(reached, url);
    // Where the redirects ended: who redirects would count the same tap again.
    const page = /^https?:/i.test(reached) ? reached : url;
    await (target === null ? openPage(page) : showCode(target, title, isWanted));
  }

  /**
   * @param target of at most `MAX_QR_BYTES`
   * @param isWanted false once another shopper may be there
   */
  async function showCode(target: string, title: string | null, isWanted: () => boolean): Promise<void> {
    const rows = await qrRows(target);
    if (rows !== null && isWanted()) frame.show({ kind: 'code', rows, target, title });
  }

  /** Begins a visit, unless a reason holds. */
  function begin(work: () => Promise<void>): void {
    if (held.size > 0) return;
    work().catch((error: unknown) => {
      log.error('a link could not be shown', { error });
      leave(false);
    });
  }

  return {
    /**
     * Called when a visit begins or ends. `wayBack`: the shopper went back, or the page closed itself; otherwise the
     * kiosk ended the visit.
     */
    onVisit(listener: typeof onVisit) {
      onVisit = listener;
    },
    /** `open`, `continueOnPhone` and `showCode`: see `LinkOpener`. */
    open: (url: string) => begin(() => openPage(url)),
    continueOnPhone: (url: string, title: string | null) => begin(() => continueOnPhone(url, title)),
    showCode: (text: string, title: string | null) =>
      begin(() => showCode(text, title, () => held.size === 0)),
    onEvent(event: LinkEvent) {
      if (event.type === 'back') leave(true);
      else if (event.type === 'moreTime') frame.giveMoreTime();
      else if (event.type === 'key') keyboard.press(event.key);
      else if (event.type === 'hideKeyboard') keyboard.hide();
      else windows.setBounds(event);
    },
    /** An input event on the frame around the page. */
    touched: (type: string) => frame.touched(type),
    /** While any reason holds there is no visit: the one under way ends, and none begins. */
    hold(reason: string, holds: boolean) {
      if (holds) held.add(reason);
      else held.delete(reason);
      if (holds) leave(false);
    },
    /** Ends a visit whose page may have harmed the kiosk (rule 11). Returns whether there was a page. */
    endSuspect() {
      if (visit === null) return false;
      log.warn('a page of the link view may have harmed the kiosk; the visit was ended');
      leave(false);
      return true;
    },
    /** Ends the visit under way; does nothing without one. */
    close: () => leave(false),
  };
}

/** Nothing of a visit stays behind. */
const createLinkPartitions = ({ userAgent, pageWatch, schedule, log }: LinkViewParts) =>
  createPartitionPool({
    name: 'link',
    size: PARTITIONS,
    userAgent,
    leaves: 'nothing',
    bounds: LINK_BOUNDS,
    pageWatch,
    prepare: restrictDocuments,
    schedule,
    log,
  });

/** With a keyboard or a mouse, the next shopper could paste what this one copied, or (X11) selected. */
function clearClipboard(): void {
  clipboard.clear();
  // The third-party runtime (Electron 42) has no `selection`; there `clear` takes it as an argument.
  if (clipboard.selection) clipboard.selection.clear();
  else Reflect.apply(clipboard.clear, clipboard, ['selection']);
}
