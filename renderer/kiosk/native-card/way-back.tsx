import type { LinkEvent, LinkFrame } from '../../../shared/link';
import { stringsFor } from './strings';

/** The largest thing to tap, in the same place on every page that has it. */
export function BackButton({ text, emit }: { text: string; emit: (event: LinkEvent) => void }) {
  return (
    <button type="button" className="back-button ad-line" onClick={() => emit({ type: 'back' })}>
      <svg className="back-arrow" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M20 12H5M11 5.5L4.5 12l6.5 6.5" />
      </svg>
      <span>{text}</span>
    </button>
  );
}

/** The countdown appears when this much is left, to give people enough time to ask for more (EN 301 549, 11.2.2.1). */
const SHOWN_FROM_SECONDS = 20;

/** The seconds until the page closes by itself, and a button for more. It keeps its space while it is hidden. */
export function IdleCountdown({
  secondsLeft,
  language,
  emit,
}: Pick<LinkFrame, 'secondsLeft' | 'language'> & { emit: (event: LinkEvent) => void }) {
  const strings = stringsFor(language);
  const shown = secondsLeft <= SHOWN_FROM_SECONDS;
  return (
    <div className="idle-countdown ad-line" data-shown={shown}>
      <p className="idle-rest" role="timer">
        {strings.closesIn(Math.max(0, Math.ceil(secondsLeft)))}
      </p>
      <button type="button" className="more-time" onClick={() => emit({ type: 'moreTime' })}>
        {strings.moreTime}
      </button>
    </div>
  );
}
