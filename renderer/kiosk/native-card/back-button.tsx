/** The way back: the largest thing to tap, in the same place on every page that has one. */
export function BackButton({ text, onBack }: { text: string; onBack: () => void }) {
  return (
    <button type="button" className="back-button" onClick={onBack}>
      <svg className="back-arrow" viewBox="0 0 24 24" aria-hidden="true">
        <path d="M20 12H5M11 5.5L4.5 12l6.5 6.5" />
      </svg>
      <span>{text}</span>
    </button>
  );
}
