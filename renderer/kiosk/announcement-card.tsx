import { useRef } from 'react';
import type { Announcement } from '../../shared/stage';
import { useLargestFit } from './largest-fit';

/** A text of at least so many UTF-16 code units is aligned to the start instead of centred. */
const LONG = 160;

/** The fleet operator's announcement to everybody in front of the screen, readable from two metres. */
export function AnnouncementCard({
  announcement: { text, severity, language },
}: {
  announcement: Announcement;
}) {
  const card = useRef<HTMLDivElement>(null);
  const words = useRef<HTMLParagraphElement>(null);
  useLargestFit(card, words, text);
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
      <SeverityMark severity={severity} />
      <p ref={words} className="announcement-text">
        {text}
      </p>
    </div>
  );
}

/** Shows the severity by shape and not only by colour: a circle with i, a triangle, an octagon. */
function SeverityMark({ severity }: Pick<Announcement, 'severity'>) {
  const shape = {
    information: <circle cx="50" cy="50" r="44" />,
    warning: <path d="M50 8 96 90H4Z" />,
    emergency: <path d="M32 6h36l26 26v36L68 94H32L6 68V32Z" />,
  }[severity];
  const stroke =
    severity === 'information' ? (
      <path d="M50 44v30M50 28v2" />
    ) : (
      <path d={severity === 'warning' ? 'M50 38v26M50 77v1' : 'M50 26v30M50 72v2'} />
    );
  return (
    <svg className="announcement-mark" viewBox="0 0 100 100" aria-hidden="true">
      <g className="announcement-shape">{shape}</g>
      <g className="announcement-stroke">{stroke}</g>
    </svg>
  );
}
