import { stringsFor } from './native-card/strings';

/** What the screen shows when no creative is eligible (rule 12): quiet, and never an error. */
export function BrandCard({ visible, language }: { visible: boolean; language: string }) {
  const strings = stringsFor(language);
  return (
    <div className="card brand-card" hidden={!visible} lang={strings.language}>
      <p className="brand-greeting">{strings.greeting}</p>
      <p className="brand-signature">
        <svg className="brand-mark" viewBox="0 0 96 96" aria-hidden="true">
          <rect x="8" y="10" width="80" height="16" rx="8" fill="var(--accent)" />
          <rect x="8" y="40" width="50" height="16" rx="8" fill="var(--ink)" />
          <circle cx="79" cy="48" r="9" fill="var(--ink)" />
          <rect x="8" y="70" width="80" height="16" rx="8" fill="var(--accent)" />
        </svg>
        Endcap
      </p>
    </div>
  );
}

/** What fits on a screen of either orientation and can still be read from a step away. */
const MAX_POINTS = 5;

interface Message {
  readonly paragraphs: readonly string[];
  readonly points: ReadonlyArray<{ readonly setting: string | null; readonly words: string }>;
}

/** Splits a message into its paragraphs and its points: indented lines, a setting's name before the colon. */
export function messageParts(text: string): Message {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isPoint = (line: string) => line.startsWith('  ');
  return {
    paragraphs: lines.filter((line) => !isPoint(line)),
    points: lines.filter(isPoint).map((line) => {
      const [, setting = null, words = line.trim()] = /^\s+([\w.[\]-]+): (.*)$/.exec(line) ?? [];
      return { setting, words };
    }),
  };
}

/** A full-screen message for whoever set the kiosk up: it cannot work as configured. */
export function MessageCard({ title, text }: { title: string; text: string }) {
  const { paragraphs, points } = messageParts(text);
  const shown = points.slice(0, MAX_POINTS);
  const more = points.length - shown.length;
  return (
    <div className="card message" role="alert">
      <div className="message-content">
        <h1 className="message-title">{title}</h1>
        {paragraphs.map((paragraph) => (
          <p key={paragraph} className="message-text">
            {paragraph}
          </p>
        ))}
        {shown.length > 0 && (
          <ul className="message-points">
            {shown.map(({ setting, words }) => (
              <li key={`${setting} ${words}`}>
                {setting !== null && <code className="message-setting">{setting}</code>}
                <span>{words}</span>
              </li>
            ))}
          </ul>
        )}
        {more > 0 && <p className="message-more">…and {more} more. All are in logs/endcap.log.</p>}
      </div>
    </div>
  );
}
