import { useLayoutEffect, useRef } from 'react';
import type { Announcement } from '../../shared/stage';
import { fitLargest } from './largest-fit';

/** A text of at least so many UTF-16 code units is aligned to the start instead of centred. */
const LONG = 160;

/** Shows the severity by shape and not only by colour: a circle with i, a triangle, an octagon. */
const MARKS = {
  information: { shape: <circle cx="50" cy="50" r="44" />, stroke: 'M50 44v30M50 28v2' },
  warning: { shape: <path d="M50 8 96 90H4Z" />, stroke: 'M50 38v26M50 77v1' },
  emergency: { shape: <path d="M32 6h36l26 26v36L68 94H32L6 68V32Z" />, stroke: 'M50 26v30M50 72v2' },
};

/** The fleet operator's announcement to everybody in front of the screen, readable from two metres. */
export function AnnouncementCard({
  announcement: { text, severity, language },
}: {
  announcement: Announcement;
}) {
  const card = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLParagraphElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is of another size.
  useLayoutEffect(() => {
    const [box, set] = [card.current, words.current];
    return box && set ? fitLargest(box, set) : undefined;
  }, [text]);
  return (
    <div
      ref={card}
      className="card announcement"
      role="alert"
      lang={language}
      dir="auto"
      data-severity={severity}
      data-long={text.length >= LONG}
    >
      <svg className="announcement-mark" viewBox="0 0 100 100" aria-hidden="true">
        <g className="announcement-shape">{MARKS[severity].shape}</g>
        <path className="announcement-stroke" d={MARKS[severity].stroke} />
      </svg>
      <p ref={words} className="announcement-text">
        {text}
      </p>
    </div>
  );
}
