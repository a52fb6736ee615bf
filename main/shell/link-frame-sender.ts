import type { KeyboardField, LinkFrame, LinkGuest } from '../../shared/link';
import type { LinkViewParts } from './link-view';

/** Without a touch for so long the link view closes (rule 18). */
const IDLE_SECONDS = 60;
/** The same for who has asked for more time: until the end of the visit. */
const LONGER_IDLE_SECONDS = 180;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type FrameContent = DistributiveOmit<LinkFrame, 'secondsLeft' | 'language' | 'keyboard' | 'guest'>;

interface LinkFrameSenderParts extends Pick<LinkViewParts, 'send' | 'schedule' | 'language' | 'onOpened'> {
  /** Nothing was touched for a minute. */
  readonly onIdle: () => void;
}

/** Tells the kiosk window what surrounds the page, and counts the seconds until the link view closes. */
export class LinkFrameSender {
  readonly #parts: LinkFrameSenderParts;
  #content: FrameContent | null = null;
  #keyboard: KeyboardField | null = null;
  #guest: LinkGuest | undefined;
  #seconds = IDLE_SECONDS;
  #secondsLeft = IDLE_SECONDS;
  #cancelTick = (): void => {};

  constructor(parts: LinkFrameSenderParts) {
    this.#parts = parts;
  }

  get content(): FrameContent | null {
    return this.#content;
  }

  isOnPage(url: string): boolean {
    return this.#content?.kind === 'page' && this.#content.url === url;
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
    this.#parts.onOpened();
    this.#tick();
  }

  /** Answers whether something was shown. */
  end(): boolean {
    if (this.#content === null) return false;
    this.#cancelTick();
    this.#content = null;
    return true;
  }

  /** Starts the countdown anew, except for a mouse that only moves. */
  touched(type: string): void {
    if (!type.startsWith('mouse') || type === 'mouseDown' || type === 'mouseWheel')
      this.#secondsLeft = this.#seconds;
  }

  /** Makes the idle time of this visit longer, and starts the countdown anew. */
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

  /** Has the kiosk page hold a page of the visit, or none. */
  showGuest(guest: LinkGuest | undefined): void {
    this.#guest = guest;
    this.#send();
  }

  #send(): void {
    const { send, language } = this.#parts;
    if (!this.#content) return;
    const around = { secondsLeft: this.#secondsLeft, keyboard: this.#keyboard, language };
    send({ frame: { ...this.#content, ...around, ...(this.#guest && { guest: this.#guest }) } });
  }

  #tick(): void {
    this.#cancelTick = this.#parts.schedule(1_000, () => {
      this.#secondsLeft -= 1;
      if (this.#secondsLeft <= 0) {
        this.#parts.onIdle();
        return;
      }
      this.#send();
      this.#tick();
    });
  }
}
