import { type CSSProperties, type ReactNode, useRef } from 'react';
import { CARD_PICTURES, CARD_WORDS, type NativeCardContent, NativeCardPart } from '../../../shared/native';
import { Picture } from '../picture';
import { pictureRatio, pictureShape, titleSize } from './card-shape';
import { stringsFor } from './strings';

export interface NativeCardProps {
  readonly content: NativeCardContent;
  /** A language tag: `ui.language`. */
  readonly language: string;
  /** Called at a tap on a part of the card. Main decides whether the tap was genuine (rule 18). */
  readonly onTap: (part: NativeCardPart) => void;
  /** Pixels of an `image` picture that is not animated, drawn at once. Without them an image element shows it. */
  readonly pixels: ImageBitmap | null;
  /** Content of the frame of an `html` or `video` picture. */
  readonly framed: ReactNode;
  /** Its slot is over; it stays for a moment, unseen. */
  readonly isLeaving: boolean;
}

/** A native ad that fills a stage of any shape. */
export function NativeCard({ content, language, onTap, pixels, framed, isLeaving }: NativeCardProps) {
  const strings = stringsFor(language);
  const { picture, icon, title, description, rating, callToAction, contentInfo } = content;
  // A touch that began before the card was shown, on another ad, ends with a click on the card.
  const wasPressed = useRef(false);
  const hasWords = [...CARD_WORDS, ...CARD_PICTURES].some((name) => content[name] !== null);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: no key is a click on an ad (rule 18), so keys reach no button either.
    <article
      className="native-card ad-page"
      dir="auto"
      onPointerDown={() => {
        wasPressed.current = true;
      }}
      onClick={({ target }) => {
        if (wasPressed.current) tapOn(target, onTap);
        wasPressed.current = false;
      }}
      data-shape={picture === null || hasWords ? pictureShape(picture) : 'alone'}
      data-leaving={isLeaving || undefined}
    >
      <div className="native-layout ad-line">
        {picture !== null && (
          <div
            className="native-frame"
            style={{ '--ratio': pictureRatio(picture) } as CSSProperties}
            data-part="picture"
          >
            {picture.kind === 'image' ? (
              <Picture url={picture.url} pixels={pixels} fit="letterbox" title={title ?? ''} />
            ) : (
              framed
            )}
          </div>
        )}
        <div className="native-words" data-part="words">
          {(icon !== null || rating !== null) && (
            <div className="native-head ad-line">
              {icon !== null && <img className="native-icon" src={icon} alt="" />}
              {rating !== null && <StarRating rating={rating} language={language} />}
            </div>
          )}
          {title !== null && (
            <h2 className="native-title" data-size={titleSize(title)}>
              {title}
            </h2>
          )}
          {description !== null && <p className="native-description">{description}</p>}
          {callToAction !== null && (
            <button
              type="button"
              className="native-action ad-button ad-line"
              data-part="call-to-action"
              tabIndex={-1}
            >
              <span className="native-action-text" dir="auto">
                {callToAction.kind === 'text' ? callToAction.text : strings.learnMore}
              </span>
              <svg className="native-arrow" viewBox="0 0 24 24" aria-hidden="true">
                <path d="M4 12h15M13 5.5l6.5 6.5-6.5 6.5" />
              </svg>
            </button>
          )}
        </div>
      </div>
      <footer className="native-foot ad-line">
        <span className="native-label">{strings.advertisement}</span>
        {contentInfo !== null && (
          <button
            type="button"
            className="native-info ad-line"
            data-part="content-info"
            tabIndex={-1}
            disabled={!contentInfo.tappable}
          >
            {contentInfo.icon !== null ? (
              <img className="native-info-icon" src={contentInfo.icon} alt="" />
            ) : (
              <svg className="native-info-icon" viewBox="0 0 24 24" aria-hidden="true">
                <circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" strokeWidth="2" />
                <path d="M12 11v6M12 6.8v.4" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
              </svg>
            )}
            <span className="native-info-text" dir="auto">
              {contentInfo.text ?? strings.aboutThisAd}
            </span>
          </button>
        )}
      </footer>
    </article>
  );
}

/** Reports a tap for the innermost part that it hits. */
function tapOn(target: EventTarget, onTap: NativeCardProps['onTap']): void {
  const part = target instanceof Element ? target.closest('[data-part]')?.getAttribute('data-part') : null;
  const known = NativeCardPart.safeParse(part);
  if (known.success) onTap(known.data);
}

const STARS = [0, 28, 56, 84, 112].map((x) => (
  <path
    key={x}
    transform={`translate(${x} 0)`}
    d="M12 2.2l3 6.1 6.8 1-4.9 4.7 1.2 6.7L12 17.5l-6.1 3.2 1.2-6.7L2.2 9.3l6.8-1z"
  />
));

/** `rating` 0 to 5, drawn in half steps. */
function StarRating({ rating, language }: { rating: number; language: string }) {
  const strings = stringsFor(language);
  const halves = Math.round(rating * 2);
  const filled = Math.floor(halves / 2) * 28 + (halves % 2) * 12;
  const oneDecimal = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const text = rating.toLocaleString(strings.language, oneDecimal);
  return (
    <p className="native-rating ad-line">
      <svg className="native-stars" viewBox="0 0 136 24" role="img" aria-label={strings.rating(text)}>
        <g fill="#ffffff26">{STARS}</g>
        <svg width={filled} height="24" fill="var(--accent)" aria-hidden="true">
          {STARS}
        </svg>
      </svg>
      <span aria-hidden="true">{text}</span>
    </p>
  );
}
