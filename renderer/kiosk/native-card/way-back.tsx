import type { LinkEvent, LinkFrame } from '../../../shared/link';
import { stringsFor } from './strings';

/** The countdown appears when this much is left, to give people enough time to ask for more (EN 301 549, 11.2.2.1). */
const SHOWN_FROM_SECONDS = 20;
/** Until then a tap on the way back is the second half of a double tap on the ad, whose button lay there, ms. */
const SETTLED_AFTER_MS = 600;

/** What a tap opened, and who hears what shoppers do with it. */
export interface Opened extends Pick<LinkFrame, 'secondsLeft' | 'language'> {
  /** When a tap opened it, or the page before it, ms, monotonic. */
  readonly began: number;
  /** Must stay the same function, or a page's frame would report its size at each drawing. */
  readonly emit: (event: LinkEvent) => void;
}

/**
 * The bar below a page or a code that a tap opened: the way back, which is the largest thing to tap and always in the
 * same place, the domain if there is one, and the seconds until it closes by itself, with a button for more. The seconds
 * keep their space while they are hidden.
 */
export function WayBack({
  label,
  domain,
  secondsLeft,
  language,
  began,
  emit,
}: Opened & { readonly label: string; readonly domain: string | null }) {
  const strings = stringsFor(language);
  // The time of the tap: a busy page hears of it later.
  const onBack = ({ timeStamp }: { timeStamp: number }) => {
    if (timeStamp - began >= SETTLED_AFTER_MS) emit({ type: 'back' });
  };
  return (
    <div className="link-bar ad-line">
      <button type="button" className="back-button ad-button ad-line" onClick={onBack}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M20 12H5M11 5.5L4.5 12l6.5 6.5" />
        </svg>
        <span>{strings.back}</span>
      </button>
      <p className="link-domain">
        {domain !== null && <span className="link-domain-label">{label}</span>}
        <span className="link-domain-name">
          <bdi dir="ltr">{domain}</bdi>
        </span>
      </p>
      <div className="idle-countdown ad-line" data-shown={secondsLeft <= SHOWN_FROM_SECONDS}>
        <p className="idle-rest" role="timer">
          {strings.closesIn(Math.max(0, Math.ceil(secondsLeft)))}
        </p>
        <button type="button" className="more-time ad-button" onClick={() => emit({ type: 'moreTime' })}>
          {strings.moreTime}
        </button>
      </div>
    </div>
  );
}
