/** The mark of the brand card. */
export function BrandMark() {
  return (
    <svg className="a-mark" viewBox="0 0 96 96" aria-hidden="true" focusable="false">
      <rect className="a-mark-accent" x="10" y="14" width="76" height="12" rx="6" />
      <rect className="a-mark-ink" x="10" y="42" width="52" height="12" rx="6" />
      <rect className="a-mark-accent" x="10" y="70" width="76" height="12" rx="6" />
      <circle className="a-mark-ink" cx="78" cy="48" r="8" />
    </svg>
  );
}
