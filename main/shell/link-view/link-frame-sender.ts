import type { KeyboardField, LinkCommand, LinkFrame, LinkGuest } from '../../../shared/link';
import type { Log } from '../../../shared/log';
import type { EgressPolicy } from '../../egress/egress-policy';
import type { Schedule } from '../../schedule';
import type { Settings } from '../../settings/settings';
import type { PageWatch } from '../guests/watch-pages';
import type { KioskScreen } from '../kiosk-window';
import type { LockDown } from '../lock-down';

export interface LinkViewParts {
  readonly stage: Pick<KioskScreen, 'owns' | 'view'>;
  readonly settings: Pick<Settings, 'playback' | 'ui'>;
  readonly send: (command: LinkCommand) => void;
  readonly lockDown: LockDown;
  readonly pageWatch: PageWatch;
  readonly egressPolicy: EgressPolicy;
  /** The same as for the ad whose link is followed (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly log: Log;
  /** An input event on a page, which the kiosk page does not receive. */
  readonly onTouched: (type: string) => void;
}

/** The link view closes after this long without a touch (rule 18). */
const IDLE_SECONDS = 60;
/** The same after the shopper asked for more time, until the end of the visit. */
const LONGER_IDLE_SECONDS = 180;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type FrameContent = DistributiveOmit<LinkFrame, 'secondsLeft' | 'language' | 'keyboard' | 'guest'>;

/**
 * Sends the kiosk window the content of the frame around the page, and counts the seconds until the link view closes.
 */
export class LinkFrameSender {
  #content: FrameContent | null = null;
  #keyboard: KeyboardField | null = null;
  #guest: LinkGuest | undefined;
  #seconds = IDLE_SECONDS;
  #secondsLeft = IDLE_SECONDS;
  #cancelTick = (): void => {};

  /** @param parts.onIdle called when nothing was touched for the idle time */
  constructor(
    private readonly parts: Pick<LinkViewParts, 'send' | 'schedule'> &
      Readonly<{ language: string; onOpened: () => void; onIdle: () => void }>,
  ) {}

  get content(): FrameContent | null {
    return this.#content;
  }

  show(next: FrameContent): void {
    const first = this.#content === null;
    this.#content = next;
    if (first) {
      this.#keyboard = null;
      this.#guest = undefined;
      this.#seconds = IDLE_SECONDS;
      this.#secondsLeft = IDLE_SECONDS;
    }
    this.#send();
    if (!first) return;
    this.parts.onOpened();
    this.#tick();
  }

  /** Returns whether something was shown. */
  end(): boolean {
    if (this.#content === null) return false;
    this.#cancelTick();
    this.#content = null;
    return true;
  }

  /** Restarts the countdown, except for a mouse that only moves. */
  touched(type: string): void {
    if (!type.startsWith('mouse') || type === 'mouseDown' || type === 'mouseWheel')
      this.#secondsLeft = this.#seconds;
  }

  /** Extends the idle time of this visit and restarts the countdown. */
  giveMoreTime(): void {
    this.#seconds = LONGER_IDLE_SECONDS;
    this.#secondsLeft = LONGER_IDLE_SECONDS;
    this.#send();
  }

  /** Shows the keyboard for a field of the page, or hides it. */
  showKeyboard(field: KeyboardField | null): void {
    if (this.#keyboard === field) return;
    this.#keyboard = field;
    this.#send();
  }

  /** Makes the kiosk page hold a guest with a page of the visit; undefined: none. */
  showGuest(guest: LinkGuest | undefined): void {
    if (this.#guest === guest) return;
    this.#guest = guest;
    this.#send();
  }

  #send(): void {
    const { send, language } = this.parts;
    if (!this.#content) return;
    const around = { secondsLeft: this.#secondsLeft, keyboard: this.#keyboard, language };
    send({ frame: { ...this.#content, ...around, ...(this.#guest && { guest: this.#guest }) } });
  }

  #tick(): void {
    this.#cancelTick = this.parts.schedule(1_000, () => {
      this.#secondsLeft -= 1;
      if (this.#secondsLeft <= 0) {
        this.parts.onIdle();
        return;
      }
      this.#send();
      this.#tick();
    });
  }
}
