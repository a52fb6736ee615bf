import { AnnouncementCard } from './announcement-card';
import { stringsFor } from './native-card/strings';

/** Shown when no creative may play (rule 12). It is quiet, and never an error message. */
export function BrandCard({ language }: { language: string }) {
  const strings = stringsFor(language);
  return (
    <div className="card brand-card" lang={strings.language}>
      <p className="brand-greeting">{strings.greeting}</p>
      <p className="brand-signature">
        <BrandMark />
        Endcap
      </p>
    </div>
  );
}

/** The logo on the brand card and in the overlay. */
export function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 96 96" aria-hidden="true">
      <rect x="8" y="10" width="80" height="16" rx="8" fill="var(--accent)" />
      <rect x="8" y="40" width="50" height="16" rx="8" fill="currentColor" />
      <circle cx="79" cy="48" r="9" fill="currentColor" />
      <rect x="8" y="70" width="80" height="16" rx="8" fill="var(--accent)" />
    </svg>
  );
}

/** As many lines as fit on a screen of either orientation and can be read from a step away. */
const MAX_LINES = 8;

/** The first lines of a message, and how many more it has; empty and repeated lines are left out. */
export function firstLines(text: string): { readonly lines: readonly string[]; readonly more: number } {
  const lines = [...new Set(text.split('\n'))].filter((line) => line.trim() !== '');
  return { lines: lines.slice(0, MAX_LINES), more: Math.max(0, lines.length - MAX_LINES) };
}

/** A full-screen message for whoever set the kiosk up: it cannot work as configured. */
export function MessageCard({ title, text }: { title: string; text: string }) {
  const { lines, more } = firstLines(text);
  const rest = more > 0 ? [`…and ${more} more. All are in logs/endcap.log.`] : [];
  const words = [title, '', ...lines, ...rest].join('\n');
  return <AnnouncementCard text={words} severity="warning" language="en" />;
}
