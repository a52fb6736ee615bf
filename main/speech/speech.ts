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

/**
 * Reads native ads, and what a tap on one opened, to a person with headphones. Without headphones nothing is
 * spoken, so nobody else hears it.
 *
 * @param parts.headphones whether headphones are plugged in
 * @param parts.say speaks a text, and stops the one before; an empty text only stops
 */
export function startSpeech(parts: {
  readonly headphones: () => Promise<boolean>;
  readonly say: (text: string) => void;
  readonly language: string;
  readonly schedule: Schedule;
}) {
  const { headphones, language, schedule } = parts;
  /** Cards that the stage prepares or shows, by slot. */
  const cards = new Map<number, NativeCardContent>();
  let isPlugged = false;
  /** The text for what the screen shows now, also kept for when headphones are plugged in. */
  let now = '';
  let shown: number | null = null;
  let link: LinkFrame | null = null;
  let isOver = false;
  let looks = 0;
  let cancel = () => {};

  /** Stops at once, but speaks only after another look: headphones may have been removed since the last one. */
  function say(text: string): void {
    if (!isPlugged) return;
    if (text === '') parts.say('');
    void look(text);
  }

  function show(text: string): void {
    if (text === now) return;
    now = text;
    say(text);
  }

  /** A later look, and with it a later text, takes the place of one that still waits for the system. */
  async function look(text = ''): Promise<void> {
    cancel();
    looks += 1;
    const number = looks;
    const found = await headphones().catch(() => false);
    if (isOver || number !== looks) return;
    if (found && text !== '') parts.say(text);
    else if (found !== isPlugged) parts.say(found ? now : '');
    isPlugged = found;
    cancel = schedule(LOOK_MS, () => void look());
  }

  void look();
  return {
    onCommand(command: StageCommand): void {
      if (command.type === 'prepare' && command.creative.kind === 'card')
        cards.set(command.slot, command.creative.content);
      else if (command.type === 'discard') cards.delete(command.slot);
    },
    onStage(event: StageEvent): void {
      if (event.type === 'presented') {
        shown = event.slot;
        const card = cards.get(event.slot);
        show(card === undefined ? '' : spokenCard(card, language));
      } else if (event.type === 'ready') {
        // A new page, which shows nothing yet: the one before died or was loaded again, and sent no `ended`.
        cards.clear();
        if (link === null) show('');
      } else if (event.type === 'ended' || event.type === 'failed') {
        // The next card may fail while this one is read.
        if (cards.delete(event.slot) && event.slot === shown && link === null) show('');
      }
    },
    onLink(frame: LinkFrame | null): void {
      const before = link;
      link = frame;
      if (frame === null) {
        if (before !== null) show('');
        return;
      }
      const url = frame.kind === 'page' ? frame.url : frame.target;
      const isFailed = frame.kind === 'page' && frame.state === 'failed';
      const text = spokenLink({ kind: isFailed ? 'failed' : frame.kind, url }, language);
      if (before === null || text !== now) show(text);
      else if (frame.secondsLeft === WARNED_SECONDS) say(spokenWarning(WARNED_SECONDS, language));
    },
    dispose(): void {
      isOver = true;
      cancel();
      parts.say('');
    },
  };
}
