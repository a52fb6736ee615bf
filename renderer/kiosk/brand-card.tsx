/** What the screen shows when no creative is eligible (rule 12): quiet, and never an error. */
export function BrandCard({ visible }: { visible: boolean }) {
  return (
    <div className="card" hidden={!visible}>
      <div className="card-content">
        <svg className="brand-mark" viewBox="0 0 96 96" aria-hidden="true">
          <rect x="10" y="14" width="76" height="12" rx="6" fill="var(--accent)" />
          <rect x="10" y="42" width="52" height="12" rx="6" fill="var(--ink)" />
          <rect x="10" y="70" width="76" height="12" rx="6" fill="var(--accent)" />
          <circle cx="78" cy="48" r="8" fill="var(--ink)" />
        </svg>
        <h1 className="brand-name">Endcap</h1>
        <p className="brand-line">Enjoy your shopping.</p>
      </div>
    </div>
  );
}
