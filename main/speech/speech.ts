import type { LinkFrame } from '../../shared/link';
import type { NativeCardContent } from '../../shared/native';
import type { StageCommand, StageEvent } from '../../shared/stage';
import type { Schedule } from '../schedule';
import { spokenCard, spokenLink, spokenWarning } from './spoken-words';

/** Interval between two checks of the headphone socket, ms. */
const LOOK_MS = 3_000;
/**
 * Seconds before the end at which the shopper is warned, to be able to ask for more time (EN 301 549,
 * 11.2.2.1).
 */
const WARNED_SECONDS = 20;

export interface SpeechParts {
  /** Whether headphones are plugged in. */
  readonly headphones: () => Promise<boolean>;
  /** Speaks a text, and stops the one before. An empty text only stops. */
  readonly say: (text: string) => void;
  readonly language: string;
  readonly schedule: Schedule;
}

/**
 * Reads native ads, and what a tap on one opened, to a person with headphones. Without headphones nothing is
 * spoken, so nobody else hears it.
 */
export class Speech {
  readonly #parts: SpeechParts;
  /** Cards that the stage prepares or shows, by slot. */
  readonly #cards = new Map<number, NativeCardContent>();
  #isPlugged = false;
  /** The text for what the screen shows now, also kept for when headphones are plugged in. */
  #now = '';
  #link: LinkFrame | null = null;
  #isOver = false;
  #cancel = (): void => {};

  constructor(parts: SpeechParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.#look();
  }

  dispose(): void {
    this.#isOver = true;
    this.#cancel();
    this.#parts.say('');
  }

  onCommand(command: StageCommand): void {
    if (command.type === 'prepare' && command.creative.kind === 'card')
      this.#cards.set(command.slot, command.creative.content);
    else if (command.type === 'discard') this.#cards.delete(command.slot);
  }

  onStage(event: StageEvent): void {
    if (event.type === 'presented') {
      const card = this.#cards.get(event.slot);
      this.#show(card === undefined ? '' : spokenCard(card, this.#parts.language));
    } else if (event.type === 'ready') {
      // A new page, which shows nothing yet: the one before died or was loaded again, and sent no `ended`.
      this.#cards.clear();
      if (this.#link === null) this.#show('');
    } else if (event.type === 'ended' || event.type === 'failed') {
      if (this.#cards.delete(event.slot) && this.#link === null) this.#show('');
    }
  }

  onLink(frame: LinkFrame | null): void {
    const before = this.#link;
    this.#link = frame;
    const { language } = this.#parts;
    if (frame === null) {
      if (before !== null) this.#show('');
      return;
    }
    const url = frame.kind === 'page' ? frame.url : frame.target;
    const text = spokenLink({ kind: frame.kind, url }, language);
    if (before === null || text !== this.#now) this.#show(text);
    else if (frame.secondsLeft === WARNED_SECONDS) this.#say(spokenWarning(WARNED_SECONDS, language));
  }

  #show(text: string): void {
    if (text === this.#now) return;
    this.#now = text;
    this.#say(text);
  }

  #say(text: string): void {
    if (this.#isPlugged) this.#parts.say(text);
  }

  async #look(): Promise<void> {
    const { headphones, schedule, say } = this.#parts;
    const isPlugged = await headphones().catch(() => false);
    if (this.#isOver) return;
    if (isPlugged !== this.#isPlugged) {
      this.#isPlugged = isPlugged;
      say(isPlugged ? this.#now : '');
    }
    this.#cancel = schedule(LOOK_MS, () => void this.#look());
  }
}
