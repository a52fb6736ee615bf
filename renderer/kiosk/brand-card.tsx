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
